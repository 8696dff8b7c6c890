/**
 * onnxruntime would report every session to its maker and keep a database of reports in the user's folder. It reads this
 * variable when it is first used, from the environment of the process, which a worker thread cannot set. So this module
 * is imported where onnxruntime is, and where threads that use it are started.
 */
process.env.ORT_DISABLE_TELEMETRY ||= '1';
