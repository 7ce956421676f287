import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TimeSkippingTestWorkflowEnvironmentOptions } from '@temporalio/testing'
import { cacheFolder } from '../embedded/tools/cache.ts'
import { fromCache, fromSdk, fromVariable, resolveBinary } from '../embedded/tools/resolve.ts'
import { run } from '../embedded/tools/run.ts'

const VERSION = '1.38.0'
const ARTIFACT = `io.temporal:temporal-test-server:${VERSION}`
const MAIN_CLASS = 'io.temporal.testserver.TestServer'

type Executable = NonNullable<NonNullable<TimeSkippingTestWorkflowEnvironmentOptions['server']>['executable']>

/** Finds or gets Temporal's time-skipping test server. @returns what the SDK's test environment starts it by. */
export async function resolveTestServer(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<Executable> {
  const folder = cacheFolder(`temporal-test-server-${VERSION}`)
  const cached = join(folder, 'temporal-test-server')
  const path = await resolveBinary(
    {
      what: "Temporal's test server",
      advice: 'Please install Maven and Java 11 or later, or set TEMPORAL_TEST_SERVER_PATH.',
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
        slow: 'is fetched with Maven, once',
        find: () => fetchWithMaven(folder, cached, say),
      },
    ],
    say,
  )
  return { type: 'existing-path', path }
}

/** Maven copies the artifact and all it depends on; a script in front makes of them one executable. */
async function fetchWithMaven(folder: string, target: string, say: (line: string) => void): Promise<string> {
  const project = mkdtempSync(join(folder, 'maven-'))
  const [groupId, artifactId, version] = ARTIFACT.split(':')
  writeFileSync(
    join(project, 'pom.xml'),
    `<project><modelVersion>4.0.0</modelVersion><groupId>dripline</groupId><artifactId>tools</artifactId>` +
      `<version>1</version><dependencies><dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId>` +
      `<version>${version}</version></dependency></dependencies></project>`,
  )
  const jars = join(folder, 'jars')
  const copy = ['-q', '-B', '-f', join(project, 'pom.xml'), 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`]
  await run('mvn', copy, { say })
  rmSync(project, { recursive: true, force: true })
  const script = `#!/bin/sh\nexec java -Xmx1g -cp '${jars}/*' ${MAIN_CLASS} "$@"\n`
  writeFileSync(`${target}.new`, script, { mode: 0o755 })
  renameSync(`${target}.new`, target)
  return target
}
