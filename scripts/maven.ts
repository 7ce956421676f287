import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../embedded/tools/run.ts'

/** Copies a Maven artifact with all of its dependencies into a folder. @param artifact `group:artifact:version` */
export async function copyWithMaven(artifact: string, folder: string, say: (line: string) => void): Promise<void> {
  const project = mkdtempSync(join(folder, 'maven-'))
  const [groupId, artifactId, version] = artifact.split(':')
  try {
    writeFileSync(
      join(project, 'pom.xml'),
      `<project><modelVersion>4.0.0</modelVersion><groupId>dripline</groupId><artifactId>tools</artifactId>` +
        `<version>1</version><dependencies><dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId>` +
        `<version>${version}</version></dependency></dependencies></project>`,
    )
    const jars = join(folder, 'jars')
    const copy = [
      '-q',
      '-B',
      '-f',
      join(project, 'pom.xml'),
      'dependency:copy-dependencies',
      `-DoutputDirectory=${jars}`,
    ]
    await run('mvn', copy, { say })
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}
