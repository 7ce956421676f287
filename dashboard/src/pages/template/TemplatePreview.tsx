import { useDebouncedValue } from '@mantine/hooks'
import type { Content } from '../../editor/content.ts'
import { EmailPreview } from '../../components/EmailPreview.tsx'
import type { Category } from '../../components/SendTestButton.tsx'
import { stableJson } from '../../lib/stable-json.ts'

const PAUSE_MS = 500

/** Previews an email while the user types. */
export function TemplatePreview({
  content,
  category,
  onTestSent,
}: {
  content: Content
  category: Category
  onTestSent?: () => void
}) {
  const [shown] = useDebouncedValue(content, PAUSE_MS)
  return (
    <EmailPreview
      of={shown}
      category={category}
      {...(onTestSent && { onTestSent })}
      isCurrent={stableJson(shown) === stableJson(content)}
      preview={async (api, forWhom, signal) =>
        (await api.POST('/templates/preview', { body: { ...shown, ...forWhom }, signal })).data.data
      }
    />
  )
}
