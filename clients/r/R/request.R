RETRIED_STATUSES <- c(408L, 429L, 502L, 503L, 504L)
MAX_ATTEMPTS <- 11L
# Longer waits, such as until the quota of the next day, are left to the caller.
MAX_RETRY_AFTER_S <- 60

#' Sends a request, and sends it again after a temporary failure
#'
#' @param path Path of the endpoint, such as `/v1/predict`.
#' @param query Named list of parameters.
#' @param body `NULL`, or a list with `data` (raw) and `type` (media type).
#' @param accept Media type of the answer.
#' @return A response of httr2 with a status below 300 and a body. Anything else is an error of class `nurselog_error`.
#' @noRd
call_service <- function(path, query = list(), body = NULL, accept = "application/json", url = NULL, key = NULL) {
  url <- url %||% Sys.getenv("NURSELOG_URL", "http://127.0.0.1:8080")
  if (!isTRUE(grepl("^https?://", url, ignore.case = TRUE))) {
    shown <- sub("nurse_live_.*", "nurse_live_...", paste(url, collapse = ", ")) # a key passed as the URL
    rlang::abort(
      paste0("The URL of nurselog must start with http:// or https://, not be \"", shown, "\"."), class = "nurselog_error"
    )
  }
  key <- key %||% Sys.getenv("NURSELOG_API_KEY", "")
  if (key == "") {
    rlang::abort("There is no API key: set NURSELOG_API_KEY or the argument `key`.", class = "nurselog_error")
  }
  if (grepl("[^!-~]", key, perl = TRUE)) {
    rlang::abort(
      "The API key has characters that no key has, such as a space or a line break.", class = "nurselog_error"
    )
  }
  request <- httr2::request(paste0(sub("/+$", "", url), path))
  refuse_several(query)
  # As text: httr2 writes numbers with the decimal sign of options("OutDec"), and 7 digits.
  request <- httr2::req_url_query(request, !!!lapply(query, cell_text))
  request <- httr2::req_headers(request, `X-API-Key` = key, Accept = accept)
  request <- httr2::req_user_agent(request, paste0("nurselog-r/", utils::packageVersion("nurselog")))
  request <- httr2::req_timeout(request, 300)
  # req_timeout lifts curl's own limit on the time to connect. A redirect is not followed, because it would send the key
  # to another address.
  request <- httr2::req_options(request, connecttimeout = 10, followlocation = FALSE)
  request <- httr2::req_error(request, is_error = function(response) FALSE)
  # Even with a single try, older httr2 sleeps for the Retry-After of a 429 or 503: until midnight once the quota is used
  # up. `max_tries` is left out: some versions refuse 1, and newer ones say that they set 2, which changes nothing here.
  request <- suppressMessages(
    httr2::req_retry(request, is_transient = function(response) FALSE, backoff = function(n) 0)
  )
  if (!is.null(body)) request <- httr2::req_body_raw(request, body$data, type = body$type)
  for (attempt in seq_len(MAX_ATTEMPTS)) {
    response <- tryCatch(httr2::req_perform(request), error = identity)
    if (inherits(response, "error")) {
      failure <- list(
        code = "connection_failed", status = NULL, details = NULL, request_id = NULL,
        message = paste0("No response from ", url, or_proxy(url), ": ", conditionMessage(response))
      )
      wait_s <- 0
    } else if (httr2::resp_status(response) < 300L && length(response$body) > 0) {
      return(response)
    } else {
      failure <- failure_of(response)
      wait_s <- retry_after_s(response)
      is_temporary <- httr2::resp_status(response) %in% RETRIED_STATUSES && wait_s <= MAX_RETRY_AFTER_S
      if (!is_temporary) break
    }
    if (attempt < MAX_ATTEMPTS) Sys.sleep(max(wait_s, min(0.5 * 2^(attempt - 1), 8)))
  }
  signal_failure(failure)
}

#' Completes an address in a message: curl may ask a proxy that the environment names
#' @noRd
or_proxy <- function(url) {
  scheme <- tolower(sub(":.*", "", url))
  variables <- c(paste0(scheme, "_proxy"), if (scheme == "https") "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
  set <- variables[nzchar(Sys.getenv(variables))]
  if (length(set) > 0) paste0(", or from the proxy that ", set[1], " names, unless no_proxy lists the host") else ""
}

#' The fields of an error from a response, which may come from a proxy and be anything
#' @noRd
failure_of <- function(response) {
  status <- httr2::resp_status(response)
  error <- tryCatch(httr2::resp_body_json(response, check_type = FALSE)$error, error = function(e) NULL)
  if (!is.list(error)) error <- list()
  text <- function(name, default) if (is.character(error[[name]])) error[[name]] else default
  list(
    code = text("code", "unexpected_response"),
    status = status,
    message = text("message", paste0("Unexpected response: status ", status, ".")),
    details = if (is.list(error$details)) error$details,
    request_id = httr2::resp_header(response, "X-Request-Id")
  )
}

#' Signals that the response to a request is not an answer of the service
#' @param problem Completes the sentence "The response …".
#' @noRd
signal_unexpected <- function(response, problem) {
  signal_failure(list(
    code = "unexpected_response", status = httr2::resp_status(response), details = NULL,
    message = paste0("The response ", problem, "."), request_id = httr2::resp_header(response, "X-Request-Id")
  ))
}

#' Seconds of Retry-After, or until its date, which has spaces; 0 without it
#' @noRd
retry_after_s <- function(response) {
  value <- httr2::resp_header(response, "Retry-After") %||% "0"
  if (!grepl("^[0-9]+$| ", value)) return(0)
  wait_s <- tryCatch(suppressWarnings(httr2::resp_retry_after(response)), error = function(e) 0)
  if (isTRUE(wait_s > 0)) wait_s else 0
}

signal_failure <- function(failure) {
  rlang::abort(
    # A server must not drive the terminal that the message is shown in.
    gsub("(?![\n\t])\\p{Cc}", "\ufffd", failure$message, perl = TRUE),
    class = c(paste0("nurselog_", failure$code), "nurselog_error"),
    code = failure$code, status = failure$status, details = failure$details, request_id = failure$request_id,
    call = NULL
  )
}

json_body <- function(object) {
  text <- jsonlite::toJSON(object, auto_unbox = TRUE, digits = NA, null = "null")
  list(data = charToRaw(enc2utf8(text)), type = "application/json")
}

#' @param field Name of the list that is returned.
#' @noRd
post_json <- function(path, body, field, url, key) {
  response <- call_service(path, body = json_body(body), url = url, key = key)
  read <- function() jsonlite::fromJSON(httr2::resp_body_string(response), simplifyVector = FALSE)[[field]]
  answer <- tryCatch(read(), error = function(e) NULL)
  if (!is.list(answer)) signal_unexpected(response, paste0("has no list `", field, "`"))
  answer
}

`%||%` <- function(value, default) if (is.null(value)) default else value

#' A list without its NULLs
#' @noRd
given <- function(...) Filter(Negate(is.null), list(...))

#' Fails for the first argument that is not one value
#' @param remedy Completes the message.
#' @noRd
refuse_several <- function(arguments, remedy = "") {
  several <- names(arguments)[lengths(arguments) != 1]
  if (length(several) > 0) rlang::abort(paste0("`", several[1], "` must be one value", remedy, "."))
}

#' The scenario of a body; `NULL` for today's climate
#' @noRd
scenario_of <- function(warming_c, precipitation_change_percent) {
  scenario <- given(warming_c = warming_c, precipitation_change_percent = precipitation_change_percent)
  if (length(scenario) > 0) scenario
}
