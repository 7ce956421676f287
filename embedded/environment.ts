/** Environment variables that Postgres and Temporal need. They get no others, and no secrets. */
const NEEDED = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TZDIR|TMPDIR|XDG_\w+)$/

export const neededEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => NEEDED.test(name)))
