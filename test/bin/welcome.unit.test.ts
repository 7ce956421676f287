import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { showFirstKeys, formatWelcome } from '../../src/bin/first-start.ts'
import { readConfig } from '../../src/platform/config.ts'

const linesOf = (env: NodeJS.ProcessEnv, more: Partial<Parameters<typeof formatWelcome>[0]> = {}) =>
  formatWelcome({
    ...{ port: 3000, publicUrl: 'http://localhost:3000', temporalUiUrl: undefined, config: readConfig(env) },
    ...{ mailFrom: 'Me <me@example.com>', first: undefined, firstToken: undefined, sends: true },
    ...more,
  }).split('\n')

it('describes the mail mode', () => {
  const SMTP_URL = 'smtp://me:hush@smtp.example.com'
  const cases: [NodeJS.ProcessEnv, string][] = [
    [{}, 'captured, not delivered (set SMTP_URL to deliver it).'],
    [{ MAIL_CAPTURE: 'true' }, 'captured, not delivered (MAIL_CAPTURE is set).'],
    [{ SMTP_URL, MAIL_CAPTURE: 'true' }, 'captured, not delivered (MAIL_CAPTURE is set).'],
    [{ SMTP_URL }, 'sent over SMTP, to smtp.example.com:587, from Me <me@example.com>'],
    [{ SMTP_URL: 'smtps://smtp.example.com' }, 'sent over SMTP, to smtp.example.com:465, from Me <me@example.com>'],
    [{ SMTP_URL: 'smtp://me:hush@[::1]:2525' }, 'sent over SMTP, to [::1]:2525, from Me <me@example.com>'],
  ]
  for (const [env, expected] of cases)
    assert.equal(
      linesOf(env).find((line) => line.startsWith('Mail ')),
      `Mail is ${expected}`,
    )
})

it('prints the first owner’s link with the public URL', () => {
  const lines = linesOf({}, { publicUrl: 'https://mail.example.com', firstToken: 'first' })
  assert.ok(lines.includes('https://mail.example.com/join#first'))
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
