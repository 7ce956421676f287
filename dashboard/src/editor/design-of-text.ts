import type { Design } from './blocks.ts'

/** Converts plain text to a block of text. Each line is a paragraph. */
export const designOfText = (text: string): Design => ({
  blocks:
    text.trim() === ''
      ? []
      : [
          {
            type: 'TEXT',
            paragraphs: text
              .split('\n')
              .map((line) => line.trim())
              .filter((line) => line !== '')
              .map((line) => ({ style: 'PARAGRAPH' as const, runs: [{ text: line }] })),
          },
        ],
})
