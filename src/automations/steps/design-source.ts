import type { Design } from '../../templates/index.ts'

/** The source of an email of blocks, from which the content is compiled. */
export interface DesignSource {
  design: Design
  previewText: string | null
  /** `null` if it is generated from the blocks. */
  text: string | null
}
