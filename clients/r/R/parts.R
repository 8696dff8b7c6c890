#' Requests the answers to rows in parts, and makes smaller parts after a refusal of parts that are too large
#'
#' @param count Number of rows.
#' @param part_rows The most rows of the first request.
#' @param ask Function of the numbers of some rows that returns a data frame with their answers.
#' @param is_too_large Function that returns whether fewer rows may succeed after an error.
#' @param progress Whether to show a progress bar.
#' @return The answers to all rows. An error has the answers to earlier rows, if there are any, as `answered`.
#' @noRd
in_parts <- function(count, part_rows, ask, is_too_large = has_too_many_rows, progress = FALSE) {
  parts <- list()
  done <- 0L
  if (progress) {
    bar <- utils::txtProgressBar(max = max(1L, count), style = 3)
    on.exit(close(bar))
  }
  repeat {
    rows <- seq_len(min(part_rows, count - done)) + done
    answer <- tryCatch(ask(rows), nurselog_error = identity)
    if (inherits(answer, "nurselog_error") && is_too_large(answer)) {
      part_rows <- as.integer(answer$details$tier_limit %||% (length(rows) %/% 2L))
      if (part_rows >= 1L && part_rows < length(rows)) next
    }
    if (inherits(answer, "nurselog_error")) {
      answer$answered <- do.call(rbind, parts)
      rlang::cnd_signal(answer)
    }
    parts[[length(parts) + 1L]] <- answer
    done <- done + length(rows)
    if (progress) utils::setTxtProgressBar(bar, done)
    if (done >= count) break
  }
  do.call(rbind, parts)
}

has_too_many_rows <- function(error) inherits(error, c("nurselog_batch_too_large", "nurselog_payload_too_large"))
