/** Prints one line with the counts of tests. Tests of a file whose process died have neither passed nor failed. */
export default class {
  onTestRunEnd(modules) {
    const results = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const count = (state) => results.filter((result) => result === state).length;
    const [passed, failed, skipped, notEnded] = ['passed', 'failed', 'skipped', 'pending'].map(count);
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped, ${notEnded} not ended`);
  }
}
