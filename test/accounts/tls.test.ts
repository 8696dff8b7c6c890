import { expect, test } from 'vitest';
import { openStore } from '../../src/accounts/store/account-store.js';
import { HAS_POSTGRES, POSTGRES } from './support/databases.js';
import { selfSignedCertificate, tlsFront } from './support/tls-front.js';

const testOnPostgres = test.runIf(HAS_POSTGRES);

testOnPostgres(
  'sslmode=verify-full with sslrootcert reaches the server that holds that certificate',
  async () => {
    const { certificateFile, keyFile } = selfSignedCertificate();
    const url = await tlsFront(await POSTGRES.create(), certificateFile, keyFile);
    url.searchParams.set('sslmode', 'verify-full');
    url.searchParams.set('sslrootcert', certificateFile);
    const store = await openStore(url.href);
    expect(await store.findSecrets(['none'])).toEqual([]);
    await store.close();
  },
);

testOnPostgres('sslmode=verify-full refuses a server with a certificate of another authority', async () => {
  const { certificateFile, keyFile } = selfSignedCertificate();
  const url = await tlsFront(await POSTGRES.create(), certificateFile, keyFile);
  url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('sslrootcert', selfSignedCertificate().certificateFile);
  await expect(openStore(url.href)).rejects.toThrow(/cannot be used: .*certificate/);
});
