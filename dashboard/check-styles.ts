import type { Plugin } from 'vite'

const CLASSES = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/
const STYLES = /@mantine\/core\/styles\/(\w+)\.css$/

/** Fails the build if a component of Mantine is used without its styles. */
export const checkStyles = (): Plugin => ({
  name: 'check-styles',
  apply: 'build',
  generateBundle(_, bundle) {
    const imported = new Set([...this.getModuleIds()].map((id) => STYLES.exec(id)?.[1]))
    const bundled = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []))
    const used = bundled.flatMap((id) => CLASSES.exec(id)?.[1] ?? [])
    const missing = used.filter((name) => !imported.has(name))
    if (missing.length > 0) this.error(`Import the styles of ${missing.join(', ')} in src/theme/styles.ts`)
  },
})
