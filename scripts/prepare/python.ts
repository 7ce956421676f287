import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import { version } from '../../src/platform/version.ts'
import { writeResources } from './python-resources.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The method table of the TypeScript client, which `buildClient` writes. */
const TABLE = join(ROOT, 'packages/client/dist/resources.js')
const SOURCE = join(ROOT, 'packages/python/dripline')
const SOURCES = ['__init__.py', '_core.py', '_webhooks.py', 'py.typed']

/** Builds the Python package as a wheel, with the same methods as the TypeScript client. */
export function buildPython(say: (line: string) => void): void {
  let table: string
  try {
    table = readFileSync(TABLE, 'utf8')
  } catch {
    say('The Python client: skipped, because the TypeScript client is not built')
    return
  }
  const info = `dripline_client-${version}.dist-info`
  const { resources, types } = writeResources(table)
  const files: Record<string, string> = {
    ...Object.fromEntries(SOURCES.map((name) => [`dripline/${name}`, readFileSync(join(SOURCE, name), 'utf8')])),
    'dripline/_resources.py': resources,
    'dripline/types.py': types,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: dripline-client\nVersion: ${version}\nRequires-Python: >=3.9\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: dripline\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  }
  const record = Object.entries(files).map(([name, text]) => {
    const digest = createHash('sha256').update(text).digest('base64url')
    return `${name},sha256=${digest},${Buffer.byteLength(text)}`
  })
  files[`${info}/RECORD`] = [...record, `${info}/RECORD,,`, ''].join('\n')
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  writeFileSync(join(ROOT, 'dist/python.whl'), zip(files))
  say('The Python client: packed as dist/python.whl')
}

/** Writes a ZIP file without compression. A wheel is one. */
function zip(files: Record<string, string>): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    // 1 January 1980, so that the same files give the same archive.
    common.writeUInt16LE(0x21, 8)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(0o644 << 16, 6)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, rest, Buffer.from(name)]))
    bodies.push(local)
    offset += local.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, ...directory, end])
}
