import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { showFirstKeys, formatWelcome } from '../../src/bin/first-start.ts'
import { readConfig } from '../../src/platform/config.ts'

describe('the mail line of npm start', () => {
  const lineOf = (env: NodeJS.ProcessEnv) => {
    const text = formatWelcome({
      port: 3000,
      publicUrl: 'http://localhost:3000',
      temporalUiUrl: undefined,
      config: readConfig(env),
      mailFrom: 'Me <me@example.com>',
      first: undefined,
      firstToken: undefined,
      sends: true,
    })
    return text.split('\n').find((line) => line.startsWith('Mail '))
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
      'Mail is sent over SMTP, to smtp.example.com:587, from Me <me@example.com>',
    ],
    [
      { SMTP_URL: 'smtps://smtp.example.com' },
      'Mail is sent over SMTP, to smtp.example.com:465, from Me <me@example.com>',
    ],
    [{ SMTP_URL: 'smtp://me:hush@[::1]:2525' }, 'Mail is sent over SMTP, to [::1]:2525, from Me <me@example.com>'],
  ]
  for (const [env, line] of cases) {
    it(`describes the mail mode for ${JSON.stringify(env)}`, () => assert.equal(lineOf(env), line))
  }
})

it('prints the first owner’s link with the public URL', () => {
  const text = formatWelcome({
    port: 3000,
    publicUrl: 'https://mail.example.com',
    temporalUiUrl: undefined,
    config: readConfig({}),
    mailFrom: 'Me <me@example.com>',
    first: undefined,
    firstToken: 'first',
    sends: true,
  })
  assert.ok(text.split('\n').includes('https://mail.example.com/join#first'))
})

describe('the first commands that npm start prints', () => {
  const text = showFirstKeys('http://localhost:3000', { live: 'svc_live_…', test: 'svc_test_…' })

  it('prints the commands of the README', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    assert.ok(readme.includes(`\`\`\`sh\n${text.slice(text.indexOf('\nexport DRIPLINE_API_KEY=') + 1)}\n\`\`\``))
  })

  it('prints lines that fit in a terminal', () => {
    assert.deepEqual(
      text.split('\n').filter((line) => line.length > 80),
      [],
    )
  })
})
