import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { DisplayableError } from '../../api/client.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { stableJson } from '../../lib/stable-json.ts'
import type { TemplateDraft } from './use-template-draft.ts'

const EMPTY_TRANSLATION = { subject: null, previewText: null, html: null, text: null }

/** Converts the blocks to MJML. Until it is saved, undo brings the blocks back. */
export function ConvertToCode({ draft: { content, toCode } }: { draft: TemplateDraft }) {
  const { api } = useWorkspace()
  const [isAsked, setAsked] = useState(false)
  const latest = useRef(content)
  useEffect(() => void (latest.current = content))
  const mjmlOf = async (written: typeof content.design) => {
    const body = { format: 'BLOCKS' as const, ...(written && { design: written }) }
    return (await api.POST('/templates/preview', { body })).data.data.mjml ?? ''
  }
  // Converts the current content in all languages.
  const convert = useMutation({
    mutationFn: async () => {
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
    },
  })
  return (
    <div>
      <Button variant="subtle" color="gray" aria-expanded={isAsked} onClick={() => setAsked(!isAsked)}>
        Convert to code…
      </Button>
      {isAsked && (
        <>
          <p className="small t2" style={{ marginBlock: 8 }}>
            The template becomes MJML in every language. After you save, you can’t switch back, but earlier versions
            stay unchanged.
          </p>
          <Button loading={convert.isPending} onClick={() => convert.mutate()}>
            Convert to code
          </Button>
          {convert.isError && <ErrorBanner error={convert.error} scrollsIntoView />}
        </>
      )}
    </div>
  )
}
