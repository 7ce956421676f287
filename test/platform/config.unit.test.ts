import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/platform/config.ts'

describe('configuration', () => {
  it('has defaults, including for empty variables', () => {
    const config = readConfig({ PORT: '', SMTP_URL: '' })
    assert.equal(config.PORT, 3000)
    assert.equal(config.SMTP_URL, undefined)
  })

  it('names all invalid variables without repeating secrets', () => {
    const wrong = {
      PORT: 'many',
      DATABASE_URL: 'mysql://user:secret@host/db',
      TEMPORAL_ADDRESS: 'http://host',
      SMTP_URL: 'smtp.example.com',
    }
    assert.throws(
      () => readConfig(wrong),
      (error: Error) =>
        Object.keys(wrong).every((name) => error.message.includes(name)) && !error.message.includes('secret'),
    )
  })

  it('accepts a sender as an address, with or without a name, and nothing else', () => {
    for (const MAIL_FROM of ['me@example.com', 'Me <me@example.com>', '<me@example.com>']) {
      assert.equal(readConfig({ MAIL_FROM }).MAIL_FROM, MAIL_FROM)
    }
    for (const MAIL_FROM of [
      'me',
      'Me me@example.com',
      'Me <me@example.com',
      'me@example.com>',
      'a@b.co, c@d.co',
      'M\u001be <a@b.co>',
    ]) {
      assert.throws(() => readConfig({ MAIL_FROM }), /MAIL_FROM must look like "Name <name@example\.com>"/, MAIL_FROM)
    }
  })

  it('reports invalid booleans and numbers', () => {
    assert.throws(() => readConfig({ MAIL_CAPTURE: 'yes' }), /^ +MAIL_CAPTURE must be true or false$/m)
    assert.throws(() => readConfig({ TEMPORAL_TLS: '2' }), /^ +TEMPORAL_TLS must be true or false$/m)
    assert.throws(() => readConfig({ PORT: 'many' }), /^ +PORT must be a number$/m)
  })

  it('accepts only plain decimal numbers, and only a workflow bundle that exists', () => {
    for (const PORT of ['0x10', '1e3', '3000px', '80.5', 'Infinity']) {
      assert.throws(() => readConfig({ PORT }), /PORT must be/)
    }
    assert.equal(readConfig({ SEND_RATE: '0.5' }).SEND_RATE, 0.5)
    assert.throws(() => readConfig({ WORKFLOW_BUNDLE: '/nope.js' }), /WORKFLOW_BUNDLE names a file that does not exist/)
    assert.equal(readConfig({ WORKFLOW_BUNDLE: import.meta.filename }).WORKFLOW_BUNDLE, import.meta.filename)
  })

  it('rejects an ambiguous URL with advice, without repeating its password', () => {
    const wrong = [
      { SMTP_URL: 'smtp://me:hush/hush@smtp.example.com:587' },
      { SMTP_URL: 'smtp://me:25/hush@smtp.example.com:587' },
      { SMTP_URL: 'smtp://me:25?hush@smtp.example.com' },
      { SMTP_URL: 'smtp://me:25#hush@smtp.example.com' },
      { SMTP_URL: 'smtp://me:hush%@smtp.example.com' },
      { SMTP_URL: 'smtp://smtp.example.com:hush' },
      { DATABASE_URL: 'postgresql://me:hush#1@host:5432/dripline' },
      { DATABASE_URL: 'postgresql://me:5432/hush@host:5432/dripline' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:hush/@collector:4318' },
    ]
    for (const env of wrong) {
      const [name] = Object.keys(env) as [string]
      assert.throws(
        () => readConfig(env),
        ({ message }: Error) =>
          message.includes(`${name} is not a valid URL`) && message.includes('%2F') && !message.includes('hush'),
        JSON.stringify(env),
      )
    }
  })

  it('rejects a Temporal address with a login', () => {
    for (const TEMPORAL_ADDRESS of ['user:hush@host:7233', 'a:b:7233', 'host'])
      assert.throws(
        () => readConfig({ TEMPORAL_ADDRESS }),
        ({ message }: Error) =>
          message.includes('TEMPORAL_ADDRESS must look like host:7233') && !message.includes('hush'),
      )
    for (const TEMPORAL_ADDRESS of ['host:7233', '127.0.0.1:1', '[::1]:7233'])
      assert.equal(readConfig({ TEMPORAL_ADDRESS }).TEMPORAL_ADDRESS, TEMPORAL_ADDRESS)
  })

  it('rejects an API key that is not valid in a header, without repeating it', () => {
    for (const TEMPORAL_API_KEY of ['eyJhush\nhush', 'eyJ hush', 'eyJhush…'])
      assert.throws(
        () => readConfig({ TEMPORAL_API_KEY }),
        (error: Error) => {
          assert.match(error.message, /TEMPORAL_API_KEY contains a space, a line break/)
          assert.doesNotMatch(error.message, /hush/)
          return true
        },
      )
    assert.equal(readConfig({ TEMPORAL_API_KEY: 'eyJ.h_-' }).TEMPORAL_API_KEY, 'eyJ.h_-')
  })

  it('removes slashes at the end of PUBLIC_URL, because paths are appended to it', () => {
    for (const PUBLIC_URL of ['https://mail.example.com', 'https://mail.example.com/', 'https://mail.example.com//'])
      assert.equal(readConfig({ PUBLIC_URL }).PUBLIC_URL, 'https://mail.example.com')
    assert.equal(readConfig({}).PUBLIC_URL, undefined)
  })

  it('reports a missing host or an impossible port of a URL', () => {
    const wrong: [NodeJS.ProcessEnv, RegExp][] = [
      [{ SMTP_URL: 'smtp://' }, /SMTP_URL has no host; it must look like smtp:/],
      [{ SMTP_URL: 'smtp://me:hush@' }, /SMTP_URL has no host/],
      [{ SMTP_URL: 'smtp://:587' }, /SMTP_URL has no host/],
      [{ SMTP_URL: 'smtp://smtp.example.com:99999' }, /SMTP_URL has an invalid port/],
      [{ DATABASE_URL: 'postgresql://me:hush@host:99999/dripline' }, /DATABASE_URL has an invalid port/],
    ]
    for (const [env, words] of wrong) {
      assert.throws(
        () => readConfig(env),
        ({ message }: Error) => words.test(message) && !message.includes('%2F') && !message.includes('hush'),
        JSON.stringify(env),
      )
    }
  })

  it('accepts every valid URL', () => {
    for (const env of [
      { SMTP_URL: 'smtp://me%40example.com:hush%2Fhush%25@smtp.example.com:587' },
      { SMTP_URL: 'smtps://[2001:db8::1]:465/?pool=true' },
      { SMTP_URL: 'smtp://me:p@ss@smtp.example.com' },
      { DATABASE_URL: 'postgresql:///dripline?host=/var/run/postgresql' },
      { DATABASE_URL: 'postgres://me:hush@host/dripline?sslmode=require' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318' },
    ]) {
      assert.partialDeepStrictEqual(readConfig(env), env)
    }
  })

  it('serves metrics on the loopback interface by default', () => {
    assert.equal(readConfig({}).METRICS_HOST, '127.0.0.1')
  })

  it('reads secrets from files, and inserts the password into the URL', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dripline-config-'))
    const file = join(folder, 'password')
    writeFileSync(file, 'p@ss/word\n')
    const given = { DATABASE_URL: 'postgresql://user@host:5432/db', DATABASE_PASSWORD_FILE: file }
    assert.equal(readConfig(given).DATABASE_URL, 'postgresql://user:p%40ss%2Fword@host:5432/db')
    assert.throws(() => readConfig({ SMTP_URL_FILE: join(folder, 'none') }), /SMTP_URL_FILE names a file/)
    rmSync(folder, { recursive: true })
  })
})
