import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveBinary } from '../../scripts/resolve.ts'
import { lockFolder } from '../../scripts/embedded/lock.ts'
import { assertPortFree } from '../../scripts/embedded/ports.ts'
import { resolveTemporalCli } from '../../scripts/temporal-cli.ts'
import { freePorts } from '../support/ports.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'

describe('finding a binary', () => {
  const lines: string[] = []
  const say = (line: string) => lines.push(line)
  beforeEach(() => lines.splice(0))

  it('takes the first way that works, and says which in one line', async () => {
    const path = await resolveBinary(
      'It',
      [
        { name: 'first', find: () => undefined },
        { name: 'second', find: () => Promise.reject(new Error('no way out')) },
        { name: 'third', find: () => '/bin/it' },
        { name: 'fourth', find: () => assert.fail('not asked') },
      ],
      'Install it.',
      say,
    )
    assert.equal(path, '/bin/it')
    assert.deepEqual(lines, ['It: third (/bin/it)'])
  })

  it('says what was tried and what to install when none works', async () => {
    const sources = [
      { name: 'first', find: () => undefined },
      { name: 'second', find: () => Promise.reject(new Error('no way out')) },
    ]
    await assert.rejects(resolveBinary('It', sources, 'Install it.', say), {
      message: 'It is not to be had.\n  first: not there\n  second: no way out\nInstall it.',
    })
  })

  it('prefers TEMPORAL_CLI_PATH to `temporal` on PATH, and names a path that is not there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dripline-path-'))
    const onPath = join(folder, 'temporal')
    writeFileSync(onPath, '#!/bin/sh\n')
    chmodSync(onPath, 0o755)
    assert.equal(await resolveTemporalCli({ PATH: folder }, say), onPath)
    assert.equal(await resolveTemporalCli({ PATH: folder, TEMPORAL_CLI_PATH: process.execPath }, say), process.execPath)
    assert.deepEqual(lines, [
      `Temporal: \`temporal\` on PATH (${onPath})`,
      `Temporal: TEMPORAL_CLI_PATH (${process.execPath})`,
    ])
    rmSync(folder, { recursive: true })
  })
})

describe('a data folder', () => {
  it('is locked for one at a time', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dripline-lock-'))
    const release = lockFolder(folder)
    assert.ok(release)
    assert.equal(lockFolder(folder), undefined)
    release()
    const again = lockFolder(folder)
    assert.ok(again)
    again()
    rmSync(folder, { recursive: true })
  })
})

describe('a port', () => {
  it('is named with its variable when it is taken', async () => {
    const [port] = await freePorts(1)
    await assertPortFree('PORT', port!)
    const sink = await startSmtpSink(undefined, port)
    await assert.rejects(assertPortFree('PORT', port!), /^Error: Port \d+ is taken by another program\. Set PORT/)
    await sink.close()
  })
})
