/** What Postgres and Temporal need of our environment. The rest, secrets among it, is none of theirs. */
const NEEDED = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TZDIR|TMPDIR|XDG_\w+)$/

export const neededEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => NEEDED.test(name)))
