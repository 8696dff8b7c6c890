// Admits on behalf of a test: reads "SECRET REQUESTS" lines, answers each with how many were admitted.
import { createInterface } from 'node:readline';
import { Accounts } from '../../../dist/accounts/accounts.js';
import { openStore } from '../../../dist/accounts/store/account-store.js';

const rethrow = (error) => {
  throw error;
};
const accounts = new Accounts(await openStore(process.argv[2]), Date.now, rethrow);
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const [secret, requests] = line.split(' ');
  const key = await accounts.authenticate(secret);
  const answers = await Promise.all(Array.from({ length: Number(requests) }, () => accounts.admit(key)));
  console.log(answers.filter(({ admitted }) => admitted).length);
}
