import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packInto } from './npm-pack.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PACKAGE = join(ROOT, 'packages/cli')
/** The file that every instance serves at `/cli.tgz`. */
const ARCHIVE = join(ROOT, 'dist/cli.tgz')

/** Builds the command line for developers as one file with its client, so that npm installs nothing else, and packs it. */
export async function buildCli(say: (line: string) => void): Promise<void> {
  const vite = await import('vite').catch(() => undefined)
  if (!vite || !existsSync(PACKAGE)) {
    say('The command line for developers: skipped, because the development dependencies are not installed')
    return
  }
  await vite.build({
    root: PACKAGE,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: 'src/main.ts',
      outDir: 'dist',
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'dripline.js', codeSplitting: false } },
    },
  })
  await packInto(ARCHIVE, PACKAGE, say)
  say('The command line for developers: built in packages/cli/dist, and packed as dist/cli.tgz')
}
