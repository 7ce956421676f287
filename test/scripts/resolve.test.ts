import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { resolveBinary } from '../../embedded/tools/resolve.ts'
import { run } from '../../embedded/tools/run.ts'
import { cacheFolder } from '../../embedded/tools/cache.ts'
import { lockFolder } from '../../embedded/lock.ts'
import { assertPortFree, assertPortsDiffer } from '../../embedded/ports.ts'
import { resolveTemporalCli, TEMPORAL_CLI_VERSION } from '../../embedded/tools/temporal-cli.ts'
import { freePorts } from '../support/ports.ts'
import { startSmtpSink } from '../../scripts/cluster/smtp-sink.ts'

describe('finding a binary', () => {
  const wanted = { what: 'It', advice: 'Install it.' }
  const lines: string[] = []
  const say = (line: string) => lines.push(line)
  beforeEach(() => lines.splice(0))

  it('uses the first source that works, and logs it in one line', async () => {
    const path = await resolveBinary(
      wanted,
      [
        { name: 'first', find: () => undefined },
        { name: 'second', find: () => Promise.reject(new Error('no way out')) },
        { name: 'third', find: () => process.execPath },
        { name: 'fourth', find: () => assert.fail('not asked') },
      ],
      say,
    )
    assert.equal(path, process.execPath)
    assert.deepEqual(lines, [`It: third (${process.execPath})`])
  })

  it('reports what was tried and what to install when none works', async () => {
    const sources = [
      { name: 'first', find: () => undefined },
      { name: 'second', find: () => Promise.reject(new Error('no way out')) },
    ]
    await assert.rejects(resolveBinary(wanted, sources, say), {
      message: 'It could not be found or installed.\n  first: not found\n  second: no way out\nInstall it.',
    })
  })

  describe('the Temporal CLI', () => {
    let folder: string
    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'dripline-path-'))))
    afterEach(() => rmSync(folder, { recursive: true }))

    const program = (name: string, text: string, mode = 0o755) => {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      chmodSync(path, mode)
      return path
    }
    const saying = (version: string) => `#!/bin/sh\necho 'temporal version ${version}'\n`

    it('is TEMPORAL_CLI_PATH before `temporal` on PATH', async () => {
      const onPath = program('temporal', saying('1.5.1 (Server 1.29.1, UI 2.42.1)'))
      const named = program('named', saying('0.0.0-DEV (Server 1.30.0, UI 2.42.1)'))
      assert.equal(await resolveTemporalCli({ PATH: folder }, say), onPath)
      assert.equal(await resolveTemporalCli({ PATH: folder, TEMPORAL_CLI_PATH: named }, say), named)
      assert.deepEqual(lines, [`Temporal: \`temporal\` on PATH (${onPath})`, `Temporal: TEMPORAL_CLI_PATH (${named})`])
    })

    it('is not one on PATH that is too old or another program, and reports that', async () => {
      for (const [text, reason] of [
        [saying('1.4.0 (Server 1.28.0, UI 2.37.1)'), /is not used: it is too old \(Server 1\.28\.0\); .* 1\.5/],
        ['#!/bin/sh\necho hello\n', /is not used: it does not report the version/],
        ['#!/bin/sh\nexit 3\n', /is not used: it does not run/],
      ] as const) {
        lines.splice(0)
        program('temporal', text)
        // Which source is used instead does not matter here: usually the cache.
        assert.notEqual(
          await resolveTemporalCli({ ...process.env, PATH: `${folder}:${process.env['PATH']}` }, say),
          folder,
        )
        assert.match(lines[0] ?? '', reason)
      }
    })

    it('causes an error if TEMPORAL_CLI_PATH is too old or missing', async () => {
      const old = program('old', saying('1.1.0 (Server 1.25.0, UI 2.30.0)'))
      await assert.rejects(
        resolveTemporalCli({ TEMPORAL_CLI_PATH: old }, say),
        /^Error: TEMPORAL_CLI_PATH: it is too old/,
      )
      const none = join(folder, 'none')
      await assert.rejects(
        resolveTemporalCli({ TEMPORAL_CLI_PATH: none }, say),
        /TEMPORAL_CLI_PATH: the file .* does not exist/,
      )
    })

    it('is built again if the one in the cache is truncated or not executable', async () => {
      // A fake `go`, which leaves a binary in GOBIN.
      const built = program('built', saying('1.5.1 (Server 1.29.1, UI 2.42.1)'))
      program('bin/go', `#!/bin/sh\ncp '${built}' "$GOBIN/temporal"\n`)
      const before = { ...process.env }
      try {
        process.env['XDG_CACHE_HOME'] = join(folder, 'cache')
        process.env['PATH'] = `${join(folder, 'bin')}:${before['PATH']}`
        const cached = join(folder, `cache/dripline/temporal-cli-${TEMPORAL_CLI_VERSION}/temporal`)
        for (const [content, mode] of [
          ['', 0o755],
          ['\x7fELF', 0o755],
          [saying('1.5.1 (Server 1.29.1, UI 2.42.1)'), 0o644],
        ] as const) {
          lines.splice(0)
          program(cached.slice(folder.length), content, mode)
          assert.equal(await resolveTemporalCli({ PATH: folder }, say), cached)
          assert.match(lines[0] ?? '', /the cache \(.*\) is not used: it (is empty|does not run|is not executable)/)
          assert.deepEqual(readdirSync(dirname(cached)), ['temporal'])
        }
      } finally {
        Object.assign(process.env, before)
        if (before['XDG_CACHE_HOME'] === undefined) delete process.env['XDG_CACHE_HOME']
      }
    })
  })
})

describe('the cache', () => {
  it('causes an error that names the setting if it cannot be built', function () {
    if (process.platform === 'darwin') this.skip()
    const before = process.env['XDG_CACHE_HOME']
    try {
      process.env['XDG_CACHE_HOME'] = '/dev/null/none'
      assert.throws(() => cacheFolder('x'), /cannot be stored in .*Set XDG_CACHE_HOME to a writable folder/)
    } finally {
      if (before === undefined) delete process.env['XDG_CACHE_HOME']
      else process.env['XDG_CACHE_HOME'] = before
    }
  })
})

describe('a data folder', () => {
  it('is locked for one process at a time', () => {
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
  it('causes an error with the name of its variable when it is in use', async () => {
    const [port] = await freePorts(1)
    await assertPortFree('PORT', port!)
    const sink = await startSmtpSink(undefined, port)
    await assert.rejects(assertPortFree('PORT', port!), /^Error: Port \d+ is in use by another program\. Set PORT/)
    await sink.close()
  })

  it('is not blamed if the host is not an address of this machine', async () => {
    const [port] = (await freePorts(1)) as [number]
    for (const host of ['nohost.invalid', '192.0.2.1']) {
      await assert.rejects(assertPortFree('PORT', port, host), /^Error: HOST \(\S+\) is not an address of this machine/)
    }
  })

  it('is not assigned twice', () => {
    const postgres = { variable: 'POSTGRES_PORT', port: 3000, host: '127.0.0.1' }
    const at = (host: string, port = 3000) => [{ variable: 'PORT', port, host }, postgres]
    assert.throws(() => assertPortsDiffer(at('0.0.0.0')), /^Error: PORT and POSTGRES_PORT are both 3000\. Set one/)
    assert.throws(() => assertPortsDiffer(at('127.0.0.1')), /PORT and POSTGRES_PORT/)
    assertPortsDiffer(at('0.0.0.0', 3001))
    assertPortsDiffer(at('192.0.2.1'))
  })
})

describe('the error of a failed command', () => {
  const failing = (script: string) => run('sh', ['-c', `${script}; exit 1`], { say: () => undefined })

  it('contains its last lines, and an earlier line about a full disk', async () => {
    const after = 'for n in 1 2 3 4; do echo line $n; done'
    await assert.rejects(failing(after), /^Error: sh failed with 1: line 2 \| line 3 \| line 4$/)
    const full = 'FATAL:  could not write to file "x": No space left on device'
    await assert.rejects(failing(`echo '${full}'; ${after}`), {
      message: `sh failed with 1: ${full} | line 2 | line 3 | line 4`,
    })
  })
})
