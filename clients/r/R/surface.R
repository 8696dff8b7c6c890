#' Survival map of a species
#'
#' @inheritParams predict_survival
#' @param species_code Code of a species, such as `"PSME"`.
#' @param vegetation_control,overstory_cover,seeds_per_spot What is done everywhere; by default average practice.
#' @param bbox Named vector `xmin`, `ymin`, `xmax`, `ymax` in degrees, or what [sf::st_bbox()] gives in any coordinate
#'   reference system; by default everywhere.
#' @param max_points Where there are more data points, the points of a coarser lattice are taken. Above 20,000 a key of
#'   tier hypha is needed.
#' @return A [terra::rast()] in EPSG:4326 with a layer for each method and horizon, such as `manual_5`; cells without
#'   forest are `NA`.
#' @examples
#' \dontrun{
#' terra::plot(surface("PSME", c(xmin = -122.5, ymin = 44, xmax = -121.5, ymax = 44.8))[["manual_5"]])
#' }
#' @export
surface <- function(species_code, bbox = NULL, max_points = 20000, vegetation_control = NULL, overstory_cover = NULL,
                    seeds_per_spot = NULL, warming_c = NULL, precipitation_change_percent = NULL, url = NULL,
                    key = NULL) {
  query <- given(
    bbox = if (!is.null(bbox)) paste(number_text(box_in_degrees(bbox)), collapse = ","),
    max_points = number_text(max_points), vegetation_control = vegetation_control, overstory_cover = overstory_cover,
    seeds_per_spot = seeds_per_spot, warming_c = warming_c, precipitation_change_percent = precipitation_change_percent
  )
  path <- paste0("/v1/surfaces/", utils::URLencode(species_code, reserved = TRUE))
  response <- call_service(path, query, accept = "text/csv", url = url, key = key)
  points <- utils::read.csv(text = httr2::resp_body_string(response))
  raster_of(points)
}

box_in_degrees <- function(bbox) {
  if (inherits(bbox, "bbox") && !is.na(sf::st_crs(bbox))) {
    bbox <- sf::st_bbox(sf::st_transform(sf::st_as_sfc(bbox), 4326))
  }
  unname(bbox[c("xmin", "ymin", "xmax", "ymax")])
}

# The grid's points are 30 arc-seconds apart.
CELLS_PER_DEGREE <- 120

#' Points of a lattice as a raster whose cells have the points in their middle
#' @noRd
raster_of <- function(points) {
  values <- grep("^survival_", names(points), value = TRUE)
  if (nrow(points) == 0) rlang::abort("There is no data point in this box.", class = "nurselog_no_points")
  steps <- function(degrees) {
    cells <- round(sort(unique(degrees)) * CELLS_PER_DEGREE)
    if (length(cells) > 1) min(diff(cells)) else 1
  }
  step <- min(steps(points$longitude), steps(points$latitude))
  size <- step / CELLS_PER_DEGREE
  columns <- round((points$longitude - min(points$longitude)) / size) + 1
  rows <- round((max(points$latitude) - points$latitude) / size) + 1
  raster <- terra::rast(
    nrows = max(rows), ncols = max(columns), nlyrs = length(values), crs = "EPSG:4326",
    xmin = min(points$longitude) - size / 2, xmax = min(points$longitude) + (max(columns) - 0.5) * size,
    ymin = max(points$latitude) - (max(rows) - 0.5) * size, ymax = max(points$latitude) + size / 2,
    names = sub("^survival_", "", values)
  )
  cells <- matrix(NA_real_, terra::ncell(raster), length(values))
  cells[terra::cellFromRowCol(raster, rows, columns), ] <- as.matrix(points[values])
  terra::setValues(raster, cells)
}
