import { defineCommand, UsageError } from '../command.ts'
import { configFile, connect, deleteLogin, parseUrl, saveLogin } from '../login.ts'
import { ask, isInteractive, readSecret } from '../prompt.ts'

const DEFAULT_URL = 'http://localhost:3000'

export const loginCommands = [
  defineCommand({
    call: 'login',
    what: 'Stores the URL and an API key of a workspace. Reads the key from the terminal or from standard input.',
    options: { url: { takes: 'URL', what: `the instance; default: ${DEFAULT_URL}` } },
    async run({ options, output }) {
      const given = options.url ?? (isInteractive() ? await ask(`URL of the instance [${DEFAULT_URL}]: `) : '')
      const url = parseUrl(given || DEFAULT_URL)
      const apiKey = await readSecret('API key: ')
      if (apiKey === '') throw new UsageError('The API key is missing. Type it, or pass it on standard input.')
      const { workspace } = await connect({ url, apiKey }, output.note).workspace.whoami()
      const file = configFile(process.env)
      saveLogin(file, { url, apiKey })
      output.result({ url, workspace, file }, () => `Logged in to ${workspace.name} (${workspace.mode}) at ${url}.`)
    },
  }),
  defineCommand({
    call: 'logout',
    what: 'Deletes the stored key from this computer. The key remains valid.',
    run({ output }) {
      const file = configFile(process.env)
      deleteLogin(file)
      output.result({ file }, () => 'Logged out.')
      return Promise.resolve()
    },
  }),
  defineCommand({
    call: 'whoami',
    what: 'Shows the workspace of the key, its scopes and its rate limit.',
    async run({ output, connect }) {
      const answer = await connect().workspace.whoami()
      output.result(answer, ({ workspace, apiKey, scopes, rateLimit }) =>
        [
          `workspace   ${workspace.name} (${workspace.mode}), ${workspace.id}`,
          `key         ${apiKey.name}, ${apiKey.prefix}…`,
          `scopes      ${scopes.join(' ')}`,
          `rate limit  ${rateLimit.remaining} of ${rateLimit.limit} requests left in this minute`,
        ].join('\n'),
      )
    },
  }),
]
