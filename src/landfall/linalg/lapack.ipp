// LAPACK and BLAS by scalar, for the .cpp files of the library; not installed.
#pragma once

#include <cblas.h>
#include <lapacke.h>

namespace landfall {

template <class S>
struct Lapack;

template <>
struct Lapack<double> {
  static constexpr auto gelsy = LAPACKE_dgelsy_work;
  static constexpr auto geqrf = LAPACKE_dgeqrf;
  static constexpr auto gesdd = LAPACKE_dgesdd;
  static constexpr auto gesv = LAPACKE_dgesv;
  static constexpr auto orgqr = LAPACKE_dorgqr;
  static constexpr auto ormtr = LAPACKE_dormtr_work;
  static constexpr auto pocon = LAPACKE_dpocon_work;
  static constexpr auto potrf = LAPACKE_dpotrf_work;
  static constexpr auto potri = LAPACKE_dpotri_work;
  static constexpr auto potrs = LAPACKE_dpotrs_work;
  static constexpr auto pstrf = LAPACKE_dpstrf_work;
  static constexpr auto stedc = LAPACKE_dstedc_work;
  static constexpr auto syevd = LAPACKE_dsyevd_work;
  static constexpr auto sygst = LAPACKE_dsygst_work;
  static constexpr auto sytrd = LAPACKE_dsytrd_work;
  static constexpr auto trsm = cblas_dtrsm;
};

template <>
struct Lapack<float> {
  static constexpr auto gelsy = LAPACKE_sgelsy_work;
  static constexpr auto geqrf = LAPACKE_sgeqrf;
  static constexpr auto gesdd = LAPACKE_sgesdd;
  static constexpr auto gesv = LAPACKE_sgesv;
  static constexpr auto orgqr = LAPACKE_sorgqr;
  static constexpr auto ormtr = LAPACKE_sormtr_work;
  static constexpr auto pocon = LAPACKE_spocon_work;
  static constexpr auto potrf = LAPACKE_spotrf_work;
  static constexpr auto potri = LAPACKE_spotri_work;
  static constexpr auto potrs = LAPACKE_spotrs_work;
  static constexpr auto pstrf = LAPACKE_spstrf_work;
  static constexpr auto stedc = LAPACKE_sstedc_work;
  static constexpr auto syevd = LAPACKE_ssyevd_work;
  static constexpr auto sygst = LAPACKE_ssygst_work;
  static constexpr auto sytrd = LAPACKE_ssytrd_work;
  static constexpr auto trsm = cblas_strsm;
};

}  // namespace landfall
