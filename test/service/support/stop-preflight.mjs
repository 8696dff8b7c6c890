// Preloaded into the service and its child processes: the preflight process stops itself before it does anything.
if (process.argv[1]?.endsWith('preflight-process.js')) process.kill(process.pid, 'SIGSTOP');
