import { createReadStream, createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createBrotliDecompress } from 'node:zlib'
import { extract } from 'tar'
import { cacheFolder } from '../../embedded/tools/cache.ts'
import { makeInPlace } from '../../embedded/tools/resolve.ts'

/** A browser, and the environment that it needs. */
export interface ChromiumBinary {
  executablePath: string
  env: NodeJS.ProcessEnv
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']
const PACKAGE = fileURLToPath(new URL('..', import.meta.resolve('@sparticuz/chromium')))

/** Finds Chromium on the PATH, or unpacks the one of the npm package `@sparticuz/chromium`, which runs on Linux x64. */
export async function resolveChromium(env: NodeJS.ProcessEnv): Promise<ChromiumBinary> {
  const folders = (env['PATH'] ?? '').split(delimiter)
  const installed = folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path))
  if (installed !== undefined) return { executablePath: installed, env }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('There is no Chromium on the PATH, and the npm package has it for Linux x64 only')
  }
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
  const target = join(cacheFolder(`chromium-${version}`), 'chromium')
  if (!existsSync(target)) await makeInPlace(target, (parent) => unpack(join(parent, 'chromium'), target))
  return {
    executablePath: join(target, 'chromium'),
    env: { ...env, LD_LIBRARY_PATH: join(target, 'lib'), FONTCONFIG_FILE: join(target, 'fonts.conf') },
  }
}

/** @param target where the folder goes when it is complete */
async function unpack(folder: string, target: string): Promise<void> {
  mkdirSync(folder)
  const unpackTo = (name: string, target: Writable) =>
    pipeline(createReadStream(join(PACKAGE, 'bin', name)), createBrotliDecompress(), target)
  await unpackTo('chromium.br', createWriteStream(join(folder, 'chromium'), { mode: 0o755 }))
  // Fonts, and libraries that a machine without a desktop lacks.
  await unpackTo('fonts.tar.br', extract({ cwd: folder }) as unknown as Writable)
  await unpackTo('al2023.tar.br', extract({ cwd: folder }) as unknown as Writable)
  writeFileSync(
    join(folder, 'fonts.conf'),
    '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>' +
      `<dir>${target}/fonts</dir><cachedir>${target}/font-cache</cachedir></fontconfig>`,
  )
}
