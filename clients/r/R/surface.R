#' Survival map of a species
#'
#' @inheritParams predict_survival
#' @param species_code Code of a species, such as `"PSME"`.
#' @param vegetation_control,overstory_cover,seeds_per_spot Practice at all points; by default average practice.
#' @param bbox Named vector `xmin`, `ymin`, `xmax`, `ymax` in degrees, or what [sf::st_bbox()] gives in any coordinate
#'   reference system; by default everywhere.
#' @param intervals Whether to add layers with the ends of the intervals, such as `low_manual_5` and `high_manual_5`.
#'   Ask for them with a `bbox`: the whole map can take longer than a request may.
#' @return A [terra::rast()] in EPSG:4326 with a layer for each method and horizon, such as `manual_5`; cells without
#'   forest are `NA`. It reads from a temporary file. More than 20,000 cells with forest need a key of tier hypha.
#' @examples
#' \dontrun{
#' terra::plot(surface("PSME", c(xmin = -122.5, ymin = 44, xmax = -121.5, ymax = 44.8))[["manual_5"]])
#' }
#' @export
surface <- function(species_code, bbox = NULL, intervals = FALSE, vegetation_control = NULL, overstory_cover = NULL,
                    seeds_per_spot = NULL, warming_c = NULL, precipitation_change_percent = NULL, url = NULL,
                    key = NULL) {
  query <- given(
    f = "tif", bbox = if (!is.null(bbox)) paste(cell_text(box_in_degrees(bbox)), collapse = ","),
    include = if (intervals) "intervals", vegetation_control = vegetation_control, overstory_cover = overstory_cover,
    seeds_per_spot = seeds_per_spot, warming_c = warming_c, precipitation_change_percent = precipitation_change_percent
  )
  path <- paste0("/v1/surfaces/", utils::URLencode(species_code, reserved = TRUE, repeated = TRUE))
  response <- call_service(path, query, url = url, key = key)
  file <- tempfile("surface-", fileext = ".tif")
  writeBin(httr2::resp_body_raw(response), file)
  tryCatch(suppressWarnings(terra::rast(file)), error = function(e) signal_unexpected(response, "is no raster"))
}

box_in_degrees <- function(bbox) {
  if (inherits(bbox, "bbox") && !is.na(sf::st_crs(bbox))) {
    # An edge that is straight in a projection is curved in degrees.
    longest <- max(bbox[["xmax"]] - bbox[["xmin"]], bbox[["ymax"]] - bbox[["ymin"]], 1) # not 0, for a single point
    edges <- sf::st_segmentize(sf::st_set_crs(sf::st_as_sfc(bbox), NA), longest / 100)
    bbox <- sf::st_bbox(sf::st_transform(sf::st_set_crs(edges, sf::st_crs(bbox)), 4326))
  }
  ends <- c("xmin", "ymin", "xmax", "ymax")
  # Packages differ in the order of numbers without names.
  if (!all(ends %in% names(bbox))) rlang::abort(paste0("`bbox` must have the names ", paste(ends, collapse = ", "), "."))
  unname(bbox[ends])
}
