OPTIONAL_COLUMNS <- c("elevation_m", "vegetation_control", "overstory_cover", "seeds_per_spot")
SITE_COLUMNS <- c("latitude", "longitude", "species_code", "planting_method", OPTIONAL_COLUMNS)
ANSWER_COLUMNS <- paste0(
  "^(matched_(latitude|longitude)|match_distance_km|region|(survival|low|high)_[135]|",
  "(factor|contribution)_[135]_[123]|error_(code|message))$"
)

#' Survival of planted trees at many sites
#'
#' Adds the predictions to a table of sites. Rows keep their order, and columns their values and types. A site that
#' cannot be answered has `NA` in the new columns except `error_code` and `error_message`.
#'
#' @param sites A data frame with the columns `latitude` and `longitude` in degrees (WGS 84), or an sf object of points in
#'   any coordinate reference system. Columns `species_code` and `planting_method` are used if they are there, and so are
#'   `elevation_m` (metres), `vegetation_control` (0 none to 1 complete), `overstory_cover` (percent) and `seeds_per_spot`
#'   (viable seeds a pod): `NA` in these is the elevation of the grid and average practice.
#' @param species_code Code of a species, such as `"PSME"`, for all sites, in place of the column.
#' @param planting_method `"manual"` or `"drone_seeded"` for all sites, in place of the column. Survival is the share of
#'   planted trees, or of sown spots in which at least one seedling lives.
#' @param horizons Years after planting: any of 1, 3 and 5.
#' @param intervals Whether to add the ends of the intervals that hold 8 of 10 plantings.
#' @param vegetation_control,overstory_cover,seeds_per_spot Practice at all sites that do not state it in a column.
#' @param warming_c,precipitation_change_percent A changed climate: warming in degrees Celsius, and change of
#'   precipitation in percent.
#' @param progress Whether to show a progress bar.
#' @param url,key Address of the service and API key; see [nurselog-package].
#' @return `sites` with further columns, which it must not have yet: `survival_5` and so on are probabilities,
#'   `factor_5_1` is the factor that matters most and `contribution_5_1` its contribution to the probability. If the
#'   service fails before all sites are answered, such as where the quota ends, the error has the first ones, with their
#'   answers, as `answered`.
#' @examples
#' \dontrun{
#' sites <- data.frame(latitude = c(44.12, 45.3), longitude = c(-122.03, -121.9))
#' predict_survival(sites, "PSME", "manual")
#' }
#' @export
predict_survival <- function(sites, species_code = NULL, planting_method = NULL, horizons = c(1, 3, 5),
                             intervals = FALSE, vegetation_control = NULL, overstory_cover = NULL,
                             seeds_per_spot = NULL, warming_c = NULL, precipitation_change_percent = NULL,
                             progress = interactive(), url = NULL, key = NULL) {
  table <- site_table(sites, species_code, planting_method)
  taken <- grep(ANSWER_COLUMNS, names(sites), value = TRUE)
  if (length(taken) > 0) {
    rlang::abort(paste0("`sites` has a column named as one of the answer: ", paste(taken, collapse = ", "), "."))
  }
  practice <- given(
    vegetation_control = vegetation_control, overstory_cover = overstory_cover, seeds_per_spot = seeds_per_spot
  )
  refuse_several(practice, ": a column of `sites` with this name has one for each site")
  query <- c(practice, given(
    horizons = paste(cell_text(horizons), collapse = ","),
    include = if (intervals) "intervals",
    warming_c = warming_c,
    precipitation_change_percent = precipitation_change_percent
  ))
  answer_some <- function(rows) answer_part(table[rows, , drop = FALSE], query, url, key)
  all_answers <- function() in_parts(nrow(table), 50000L, answer_some, progress = progress)
  answers <- tryCatch(all_answers(), nurselog_error = function(error) {
    if (!is.null(error$answered)) {
      error$answered <- with_answers(sites[seq_len(nrow(error$answered)), , drop = FALSE], error$answered)
    }
    rlang::cnd_signal(error)
  })
  with_answers(sites, answers)
}

with_answers <- function(sites, answers) {
  added <- answers[setdiff(names(answers), SITE_COLUMNS)]
  for (name in names(added)) sites[[name]] <- added[[name]]
  sites
}

#' The columns that the service reads, as text
#' @noRd
site_table <- function(sites, species_code, planting_method) {
  if (!is.data.frame(sites)) rlang::abort("`sites` must be a data frame or an sf object.")
  twice <- intersect(SITE_COLUMNS, names(sites)[duplicated(names(sites))])
  if (length(twice) > 0) rlang::abort(paste0("`sites` has the column ", twice[1], " twice."))
  count <- nrow(sites)
  column <- function(name, value) {
    if (!length(value) %in% c(0, 1, count)) rlang::abort(paste0("`", name, "` must be one value, or one for each site."))
    values <- if (!is.null(value)) rep_len(value, count) else sites[[name]]
    if (is.null(values)) {
      rlang::abort(paste0("`sites` has no column ", name, ", and the argument ", name, " is missing."))
    }
    cell_text(values)
  }
  if (inherits(sites, "sf")) {
    if (is.na(sf::st_crs(sites))) rlang::abort("`sites` has no coordinate reference system: set it with sf::st_crs().")
    if (!all(sf::st_geometry_type(sites) == "POINT")) rlang::abort("`sites` must be points.")
    place <- sf::st_coordinates(sf::st_transform(sf::st_geometry(sites), 4326))
    latitude <- place[, 2]
    longitude <- place[, 1]
  } else {
    latitude <- sites[["latitude"]]
    longitude <- sites[["longitude"]]
    if (is.null(latitude) || is.null(longitude)) rlang::abort("`sites` must have the columns latitude and longitude.")
  }
  table <- data.frame(
    latitude = cell_text(latitude), longitude = cell_text(longitude),
    species_code = column("species_code", species_code), planting_method = column("planting_method", planting_method)
  )
  for (name in intersect(OPTIONAL_COLUMNS, names(sites))) {
    values <- sites[[name]]
    table[[name]] <- cell_text(if (name == "elevation_m") metres(values) else values)
  }
  table
}

#' @param elevation A number of metres, or one with a unit of package units.
#' @noRd
metres <- function(elevation) {
  if (!inherits(elevation, "units")) return(elevation)
  as.numeric(units::set_units(elevation, "m", mode = "standard"))
}

#' Numbers with all their digits; texts and factors as they are, `NA` as an empty cell
#' @noRd
cell_text <- function(values) {
  # Integers of package bit64 are the bits of doubles, which sprintf would write.
  is_double <- is.numeric(values) && !inherits(values, "integer64")
  if (is_double) {
    numbers <- as.numeric(values)
    whole <- which(numbers == round(numbers) & abs(numbers) < 2^53) # ids may have 16 digits
    text <- sprintf(replace(rep("%.15g", length(numbers)), whole, "%.0f"), numbers)
  } else {
    text <- as.character(values)
  }
  text[is.na(values)] <- ""
  text
}

answer_part <- function(part, query, url, key) {
  cells <- lapply(part, function(values) ifelse(grepl("[\",\r\n]", values), quoted(values), values))
  lines <- c(paste(names(part), collapse = ","), do.call(paste, c(unname(cells), sep = ",")))
  if (nrow(part) == 0) lines <- lines[1]
  body <- list(data = charToRaw(enc2utf8(paste0(paste(lines, collapse = "\n"), "\n"))), type = "text/csv")
  response <- call_service("/v1/predict/table", query, body, accept = "text/csv", url = url, key = key)
  read <- function() {
    utils::read.csv(
      text = httr2::resp_body_string(response), colClasses = "character", na.strings = "", encoding = "UTF-8",
      check.names = FALSE
    )
  }
  answer <- tryCatch(read(), error = function(e) NULL)
  if (NROW(answer) != nrow(part) || is.null(answer$error_code)) {
    signal_unexpected(response, paste0("is no table with the answers to ", nrow(part), " sites"))
  }
  numeric <- grepl("^(matched_|match_distance|survival_|contribution_|low_|high_)", names(answer))
  answer[numeric] <- lapply(answer[numeric], as.numeric)
  answer
}

quoted <- function(values) paste0("\"", gsub("\"", "\"\"", values), "\"")
