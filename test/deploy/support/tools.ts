/** The folder that `.ci/deploy-tools` made, with nginx, promtool and the schemas, if there is one. */
export const DEPLOY_TOOLS = process.env.TEST_DEPLOY_TOOLS;
