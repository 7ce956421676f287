import { useEffect, useRef } from 'react'
import { DisplayableError } from '../../api/client.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { stableJson } from '../../lib/stable-json.ts'
import { AskButton } from '../../primitives/AskButton.tsx'
import type { TemplateDraft } from './use-template-draft.ts'

const EMPTY_TRANSLATION = { subject: null, previewText: null, html: null, text: null }

/** Converts the blocks to MJML. Until it is saved, undo brings the blocks back. */
export function ConvertToCode({ draft: { content, toCode } }: { draft: TemplateDraft }) {
  const { api } = useWorkspace()
  const latest = useRef(content)
  useEffect(() => void (latest.current = content))
  const mjmlOf = async (written: typeof content.design) => {
    const body = { format: 'BLOCKS' as const, ...(written && { design: written }) }
    return (await api.POST('/templates/preview', { body })).data.data.mjml ?? ''
  }
  // Converts the current content in all languages.
  const convert = async () => {
    const html = await mjmlOf(content.design)
    const translations = await Promise.all(
      (content.translations ?? []).map(async ({ design: translated, ...said }) => ({
        ...EMPTY_TRANSLATION,
        ...said,
        ...(translated && { html: await mjmlOf(translated) }),
      })),
    )
    if (stableJson(content) !== stableJson(latest.current))
      throw new DisplayableError('You made changes during the conversion. Try again.')
    toCode({ html, translations })
  }
  return (
    <div>
      <AskButton
        label="Convert to code…"
        confirmLabel="Convert to code"
        description="The template becomes MJML in every language. After you save, you can’t switch back, but earlier versions stay unchanged."
        action={convert}
      />
    </div>
  )
}
