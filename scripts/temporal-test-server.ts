import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TimeSkippingTestWorkflowEnvironmentOptions } from '@temporalio/testing'
import { cacheFolder } from '../embedded/tools/cache.ts'
import { fromCache, fromSdk, fromVariable, resolveBinary } from '../embedded/tools/resolve.ts'
import { run } from '../embedded/tools/run.ts'
import { copyWithMaven } from './maven.ts'

const VERSION = '1.38.0'
const ARTIFACT = `io.temporal:temporal-test-server:${VERSION}`
const MAIN_CLASS = 'io.temporal.testserver.TestServer'

type Executable = NonNullable<NonNullable<TimeSkippingTestWorkflowEnvironmentOptions['server']>['executable']>

/**
 * Finds or downloads Temporal's time-skipping test server. @returns the configuration with which the SDK's test environment
 * starts it
 */
export async function resolveTestServer(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<Executable> {
  const folder = cacheFolder(`temporal-test-server-${VERSION}`)
  const cached = join(folder, 'temporal-test-server')
  const path = await resolveBinary(
    {
      what: "Temporal's test server",
      advice: 'Install Maven and Java 11 or later, or set TEMPORAL_TEST_SERVER_PATH.',
      check: (found) => checkJava(found, say),
    },
    [
      fromVariable(env, 'TEMPORAL_TEST_SERVER_PATH'),
      fromCache(cached),
      fromSdk(cached, async (downloadDir) => {
        const { TestWorkflowEnvironment } = await import('@temporalio/testing')
        const executable = { type: 'cached-download', downloadDir } as const
        await (await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } })).teardown()
      }),
      {
        name: `Maven artifact ${ARTIFACT}`,
        slow: 'downloading with Maven, once',
        find: () => fetchWithMaven(folder, cached, say),
      },
    ],
    say,
  )
  return { type: 'existing-path', path }
}

/** Checks that Java is available for the server from Maven. The SDK's download includes its own. */
async function checkJava(path: string, say: (line: string) => void): Promise<void> {
  const isScript = readFileSync(path).subarray(0, 2).toString() === '#!'
  if (isScript) await run('java', ['-version'], { say })
}

/** A wrapper script makes one executable of the artifact and its dependencies. */
async function fetchWithMaven(folder: string, target: string, say: (line: string) => void): Promise<string> {
  await copyWithMaven(ARTIFACT, folder, say)
  const jars = join(folder, 'jars')
  const script = `#!/bin/sh\nexec java -Xmx1g -cp '${jars}/*' ${MAIN_CLASS} "$@"\n`
  writeFileSync(`${target}.new`, script, { mode: 0o755 })
  renameSync(`${target}.new`, target)
  return target
}
