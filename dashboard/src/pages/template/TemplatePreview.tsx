import { useDebouncedValue } from '@mantine/hooks'
import type { Content } from '../../editor/content.ts'
import { EmailPreview } from '../../components/EmailPreview.tsx'
import { stableJson } from '../../lib/stable-json.ts'

const PAUSE_MS = 500

/** Previews a template while the user types. @param isPart whether it is a layout or partial */
export function TemplatePreview({
  content,
  isPart,
  onTestSent,
}: {
  content: Content
  isPart: boolean
  onTestSent?: () => void
}) {
  const [shown] = useDebouncedValue(content, PAUSE_MS)
  return (
    <EmailPreview
      of={shown}
      {...(onTestSent && { onTestSent })}
      isPart={isPart}
      isCurrent={stableJson(shown) === stableJson(content)}
      preview={async (api, forWhom, signal) =>
        (await api.POST('/templates/preview', { body: { ...shown, ...forWhom }, signal })).data.data
      }
    />
  )
}
