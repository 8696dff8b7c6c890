// Preloaded into the service: writes the caller's port of each connection that it accepts to standard error.
import { subscribe } from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';

subscribe('net.server.socket', ({ socket }) => writeSync(2, `accepted ${socket.remotePort}\n`));
