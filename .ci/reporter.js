import { writeFileSync } from 'node:fs';

/**
 * Prints one line with the counts of tests. Where the process of a test file died, which native code can make it do, its tests
 * have neither passed nor failed: such files are named in the file $DIED_FILES, unless something else failed.
 */
export default class {
  onTestRunEnd(modules, unhandledErrors) {
    const results = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const count = (state) => results.filter((result) => result === state).length;
    const [passed, failed, skipped, notEnded] = ['passed', 'failed', 'skipped', 'pending'].map(count);
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped, ${notEnded} not ended`);

    const died = modules.filter((module) => module.state() === 'pending');
    // A file that cannot be loaded fails without a test that does. Each death is one unhandled error.
    const isAllThatFailed =
      modules.every((module) => module.state() !== 'failed') && unhandledErrors.length === died.length;
    writeFileSync(
      process.env.DIED_FILES,
      isAllThatFailed ? died.map(({ moduleId }) => moduleId).join(' ') : '',
    );
  }
}
