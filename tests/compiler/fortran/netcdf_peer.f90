! Reads the file of netcdf.f90 by PnetCDF's own Fortran functions.
program peer
  implicit none
  include 'mpif.h'
  real(8) :: u(12, 5), turned(5, 12), pair(12, 5), version(1)
  integer :: w(12, 2), one(12), later(12, 2), pair_w(12), file, variable, error, i, j
  character(5) :: unit
  integer, external :: nfmpi_open, nfmpi_inq_varid, nfmpi_get_var_double_all, nfmpi_get_var_int_all, nfmpi_get_att_text, &
    nfmpi_get_att_double, nfmpi_close
  call MPI_Init(error)
  call good(nfmpi_open(MPI_COMM_SELF, 'fields.nc', 0, MPI_INFO_NULL, file))
  call good(nfmpi_inq_varid(file, 'u', variable))
  call good(nfmpi_get_var_double_all(file, variable, u))
  call good(nfmpi_get_att_text(file, variable, 'unit', unit))
  call good(nfmpi_get_att_double(file, 0, 'version', version))
  call good(nfmpi_inq_varid(file, 'w', variable))
  call good(nfmpi_get_var_int_all(file, variable, w))
  call good(nfmpi_inq_varid(file, 'one', variable))
  call good(nfmpi_get_var_int_all(file, variable, one))
  call good(nfmpi_inq_varid(file, 'later', variable))
  call good(nfmpi_get_var_int_all(file, variable, later))
  call good(nfmpi_inq_varid(file, 'turned', variable))
  call good(nfmpi_get_var_double_all(file, variable, turned))
  call good(nfmpi_inq_varid(file, 'pair_u', variable))
  call good(nfmpi_get_var_double_all(file, variable, pair))
  call good(nfmpi_inq_varid(file, 'pair_w', variable))
  call good(nfmpi_get_var_int_all(file, variable, pair_w))
  call good(nfmpi_close(file))
  print *, all(u == reshape([((10d0 * j + i, i = 1, 12), j = 1, 5)], [12, 5])) .and. &
    all(w == reshape([((100 * j + i, i = 1, 12), j = 1, 2)], [12, 2])) .and. &
    all(one([1, 2, 4, 5, 6, 7, 10, 12]) == [201, 77, 204, 205, 206, 207, 210, 212]) .and. all(turned == transpose(u)) .and. &
    all(pair == u) .and. all(pair_w == 200 + [(i, i = 1, 12)]) .and. all(later == spread(pair_w, 2, 2)) .and. unit == 'metre' .and. version(1) == 3.5d0
  call MPI_Finalize(error)
contains
  subroutine good(code)
    integer, intent(in) :: code
    if (code /= 0) print *, 'PnetCDF: ', code
  end subroutine
end program
