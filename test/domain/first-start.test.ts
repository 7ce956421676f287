import assert from 'node:assert/strict'
import { welcome } from '../../src/bin/first-start.ts'
import { readConfig } from '../../src/config.ts'

describe('what npm start says of mail', () => {
  const lineOf = (env: NodeJS.ProcessEnv) => {
    const text = welcome({
      port: 3000,
      temporalUiUrl: undefined,
      config: readConfig(env),
      mailFrom: 'Me <me@example.com>',
      first: undefined,
    })
    return text.split('\n').find((line) => line.startsWith('Mail is '))
  }
  const cases: [NodeJS.ProcessEnv, string][] = [
    [{}, 'Mail is captured, not delivered (set SMTP_URL to deliver it).'],
    [{ MAIL_CAPTURE: 'true' }, 'Mail is captured, not delivered (MAIL_CAPTURE is set).'],
    [
      { SMTP_URL: 'smtp://me:hush@smtp.example.com', MAIL_CAPTURE: 'true' },
      'Mail is captured, not delivered (MAIL_CAPTURE is set).',
    ],
    [
      { SMTP_URL: 'smtp://me:hush@smtp.example.com' },
      'Mail is delivered over SMTP, to smtp.example.com:587, from Me <me@example.com>',
    ],
    [
      { SMTP_URL: 'smtps://smtp.example.com' },
      'Mail is delivered over SMTP, to smtp.example.com:465, from Me <me@example.com>',
    ],
    [{ SMTP_URL: 'smtp://me:hush@[::1]:2525' }, 'Mail is delivered over SMTP, to [::1]:2525, from Me <me@example.com>'],
  ]
  for (const [env, line] of cases) {
    it(`is so with ${JSON.stringify(env)}`, () => assert.equal(lineOf(env), line))
  }
})
