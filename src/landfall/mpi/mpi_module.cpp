#include <landfall/mpi/mpi_communicator.hpp>
#include <landfall/mpi/mpi_wait.ipp>
#include <landfall/parallel/launched_ranks.ipp>

#include <algorithm>
#include <string>

namespace landfall {
namespace {

class MpiRanks final : public LaunchedRanks {
 public:
  MpiRanks(int* argc, char*** argv) {
    int provided = 0;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    communicator_ = mpi_communicator(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &endings_);
    MPI_Comm local = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    MPI_Comm_size(local, &local_size_);
    MPI_Comm_free(&local);
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    library_.assign(text, static_cast<std::size_t>(length));
    library_.resize(std::min(library_.find_first_of(",\n"), library_.size()));
  }

  std::shared_ptr<Communicator> communicator() const override { return communicator_; }
  int local_size() const override { return local_size_; }
  const char* library() const override { return library_.c_str(); }

  bool all_here(double seconds) override {
    MPI_Request meeting = MPI_REQUEST_NULL;
    MPI_Ibarrier(endings_, &meeting);
    return wait_for(meeting, seconds);
  }

  void abort(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

  void finish() override {
    communicator_.reset();
    MPI_Comm_free(&endings_);
    MPI_Finalize();
  }

 private:
  std::shared_ptr<Communicator> communicator_;
  MPI_Comm endings_ = MPI_COMM_NULL;  // apart from the sums, which other ranks may be waiting in
  int local_size_ = 1;
  std::string library_;
};

}  // namespace
}  // namespace landfall

extern "C" landfall::LaunchedRanks* landfall_join_ranks(int* argc, char*** argv) {
  static landfall::MpiRanks* ranks = new landfall::MpiRanks(argc, argv);
  return ranks;
}
