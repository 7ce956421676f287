import { type ComboboxItem, SegmentedControl } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { ContactSelect } from '../components/ContactSelect.tsx'
import type { Category } from '../components/SendTestButton.tsx'
import {
  PREVIEW_MODES,
  PreviewBody,
  type PreviewMode,
  SendPreviewButton,
  usePreview,
} from '../components/EmailPreview.tsx'
import { ErrorBanner } from '../components/ErrorBanner.tsx'
import { stableJson } from '../lib/stable-json.ts'
import type { Undoable } from '../primitives/use-history.ts'
import type { Content, EmailDesign } from './content.ts'
import { EmailEditor } from './EmailEditor.tsx'
import { ProblemBar } from './ProblemBar.tsx'
import { problemsInBlocks, problemsInPreview } from './problems.ts'
import { useBlockEditor } from './use-block-editor.ts'
import classes from './editor.module.css'

/** Milliseconds after the last change before the email is rendered again. */
const PAUSE_MS = 500

const VIEWS = [{ value: 'edit', label: 'Edit' }, ...PREVIEW_MODES] as const
type View = 'edit' | PreviewMode

/** Edits an email on the canvas, and shows it as contacts get it, with its problems. */
export function EditorWorkspace({
  design,
  content,
  isPart = false,
  category,
  isCampaign = false,
  readOnly,
  settings,
  code,
  onTestSent,
}: {
  design: Undoable<EmailDesign>
  /** The content that would be saved. */
  content: Content
  /** Whether it is a layout or snippet, which has no subject. */
  isPart?: boolean
  category: Category
  /** Whether it is the email of a campaign, which has fewer variables. */
  isCampaign?: boolean
  readOnly: boolean
  /** The settings of the whole email. */
  settings: ReactNode
  /** An editor that takes the place of the canvas. */
  code?: ReactNode
  onTestSent?: () => void
}) {
  const editor = useBlockEditor(design)
  const [view, setView] = useState<View>('edit')
  const [contact, setContact] = useState<ComboboxItem | null>(null)
  const [shown] = useDebouncedValue(content, PAUSE_MS)
  const { data, error, isPlaceholderData } = usePreview(
    shown,
    { contactId: contact?.value ?? null, category },
    async (api, forWhom, signal) =>
      (await api.POST('/templates/preview', { body: { ...shown, ...forWhom }, signal })).data.data,
  )
  useHotkeys(
    [
      ['mod+Z', () => !readOnly && design.undo?.()],
      ['mod+shift+Z', () => !readOnly && design.redo?.()],
    ],
    ['INPUT', 'TEXTAREA', 'SELECT'],
  )
  const { nodes, theme } = design.value
  const problems = [...problemsInBlocks(nodes), ...problemsInPreview(data, nodes)].filter(
    ({ isError }) => !isPart || isError,
  )
  const isCurrent = !isPlaceholderData && stableJson(shown) === stableJson(content)
  return (
    <>
      <div className={classes.views}>
        <SegmentedControl aria-label="Preview mode" data={[...VIEWS]} value={view} onChange={(to) => setView(to)} />
        <ContactSelect
          label="Preview as"
          hidesLabel
          value={contact}
          onChange={(chosen) => {
            setContact(chosen)
            if (view === 'edit') setView('wide')
          }}
        />
        {!isPart && data && <SendPreviewButton preview={data} isReady={isCurrent} onSent={onTestSent} />}
      </div>
      {view !== 'edit' ? (
        <section aria-label="Preview" className={classes.preview}>
          <div className={classes.paper}>
            {error && <ErrorBanner error={error} />}
            {data && <PreviewBody preview={data} look={view} />}
          </div>
        </section>
      ) : code === undefined ? (
        <EmailEditor
          editor={editor}
          theme={theme}
          problems={problems}
          readOnly={readOnly}
          isCampaign={isCampaign}
          settings={settings}
        />
      ) : (
        <div className={classes.codePage}>
          <div>{code}</div>
          <aside className={classes.settings}>{settings}</aside>
        </div>
      )}
      <ProblemBar
        problems={problems}
        bytes={data?.bytes}
        onShow={(key) => {
          setView('edit')
          editor.select(key)
        }}
        onFix={
          readOnly ? undefined : ({ fix }) => fix && design.change((now) => ({ ...now, nodes: fix.apply(now.nodes) }))
        }
      />
    </>
  )
}
