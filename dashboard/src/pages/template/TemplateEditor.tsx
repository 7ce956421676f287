import { ActionIcon, Button, type ComboboxItem, Menu, SegmentedControl } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { IconArrowBackUp, IconArrowForwardUp, IconDots, IconHistory } from '@tabler/icons-react'
import { type ReactNode, useRef, useState } from 'react'
import { useMetadataKeys } from '../../api/queries.ts'
import { useHasRole } from '../../api/workspace.tsx'
import { CodeEditor } from '../../components/CodeEditor.tsx'
import { ConflictDialog } from '../../components/ConflictDialog.tsx'
import { ContactSelect } from '../../components/ContactSelect.tsx'
import { CurlMenuItem } from '../../components/CurlButton.tsx'
import {
  escapeLiquid,
  PREVIEW_MODES,
  PreviewBody,
  type PreviewMode,
  usePreview,
} from '../../components/EmailPreview.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SendTestButton } from '../../components/SendTestButton.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { EmailEditor } from '../../editor/EmailEditor.tsx'
import { ProblemBar } from '../../editor/ProblemBar.tsx'
import { problemsInBlocks, problemsInPreview } from '../../editor/problems.ts'
import { useBlockEditor } from '../../editor/use-block-editor.ts'
import classes from '../../editor/editor.module.css'
import { Page } from '../../layout/Page.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { stableJson } from '../../lib/stable-json.ts'
import { TemplateSettings } from './TemplateSettings.tsx'
import { type LoadedTemplate, useTemplateDraft } from './use-template-draft.ts'
import { VersionsPanel } from './VersionsPanel.tsx'

/** Milliseconds after the last change before the email is rendered again. */
const PAUSE_MS = 500

const VIEWS = [{ value: 'edit', label: 'Edit' }, ...PREVIEW_MODES] as const
type View = 'edit' | PreviewMode

/** Edits a template on a canvas or as code, and previews it. */
export function TemplateEditor({
  from,
  onDelete,
  children,
}: {
  from: LoadedTemplate
  onDelete: () => void
  children: ReactNode
}) {
  const canEdit = useHasRole('editor')
  const draft = useTemplateDraft(from)
  const { template, fields, set, design, content, request, theirs } = draft
  const editor = useBlockEditor(design)
  const dataKeys = useMetadataKeys()
  const [view, setView] = useState<View>('edit')
  const [contact, setContact] = useState<ComboboxItem | null>(null)
  const [showsVersions, setShowsVersions] = useState(false)
  const page = useRef<HTMLDivElement>(null)
  const [shown] = useDebouncedValue(content, PAUSE_MS)
  const preview = usePreview(
    shown,
    contact?.value ?? null,
    async (api, forWhom, signal) =>
      (await api.POST('/templates/preview', { body: { ...shown, ...forWhom }, signal })).data.data,
  )
  const isVisual = fields.format === 'BLOCKS'
  const isEmail = template.kind === 'EMAIL'
  const { nodes } = design.value
  const problems = [...problemsInBlocks(nodes), ...problemsInPreview(preview.data, nodes)].filter(
    ({ isError }) => isEmail || isError,
  )
  const save = () => {
    if (page.current && !focusInvalidField(page.current)) draft.save()
  }
  useHotkeys(
    [
      ['mod+S', () => canEdit && save()],
      ['mod+Z', () => canEdit && design.undo?.()],
      ['mod+shift+Z', () => canEdit && design.redo?.()],
    ],
    ['INPUT', 'TEXTAREA', 'SELECT'],
  )
  const isBehind = preview.isPlaceholderData || stableJson(shown) !== stableJson(content)
  const shared = { keys: dataKeys, readOnly: !canEdit }
  const settings = <TemplateSettings draft={draft} readOnly={!canEdit} />
  return (
    <Page
      title={template.name}
      isFull
      meta={
        <span className="small t3" role="status">
          {draft.isDirty
            ? 'Not saved'
            : request.isSuccess
              ? `Saved as version ${template.version}.`
              : `Version ${template.version}`}
        </span>
      }
      actions={
        <>
          {canEdit && isVisual && (
            <>
              <ActionIcon aria-label="Undo" title="Undo" disabled={!design.undo} onClick={design.undo}>
                <IconArrowBackUp aria-hidden />
              </ActionIcon>
              <ActionIcon aria-label="Redo" title="Redo" disabled={!design.redo} onClick={design.redo}>
                <IconArrowForwardUp aria-hidden />
              </ActionIcon>
            </>
          )}
          <ActionIcon aria-label="Versions" title="Versions" onClick={() => setShowsVersions(true)}>
            <IconHistory aria-hidden />
          </ActionIcon>
          {canEdit && (
            <Menu>
              <Menu.Target>
                <ActionIcon aria-label="More">
                  <IconDots aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <CurlMenuItem
                  call={{ method: 'PUT', path: `/templates/${template.id}`, body: { name: fields.name, ...content } }}
                />
                <Menu.Item color="bad" onClick={onDelete}>
                  Delete…
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          )}
          {canEdit && (
            <Button variant="filled" loading={request.isPending} onClick={save}>
              Save template
            </Button>
          )}
        </>
      }
    >
      <UnsavedChangesGuard isDirty={draft.isDirty} isSending={request.isPending} />
      {showsVersions && <VersionsPanel draft={draft} onClose={() => setShowsVersions(false)} />}
      <div ref={page} className={classes.page}>
        <div className={classes.notices}>
          {children}
          {theirs && (
            <ConflictDialog
              description={`Version ${theirs.template.version} was saved after you opened this one.`}
              onUseTheirs={() => draft.applyTheirs(theirs)}
              onSaveMine={() => page.current && !focusInvalidField(page.current) && draft.saveOver(theirs)}
            />
          )}
          {request.isError && !theirs && <ErrorBanner error={request.error} scrollsIntoView />}
        </div>
        {isEmail && (
          <div className={classes.head}>
            <CodeEditor
              {...shared}
              as="line"
              label="Subject"
              value={fields.subject}
              onChange={(subject) => set({ subject })}
            />
            <CodeEditor
              {...shared}
              as="line"
              label="Preview text"
              placeholder="Shown after the subject in the inbox"
              value={fields.previewText}
              onChange={(previewText) => set({ previewText })}
            />
          </div>
        )}
        <div className={classes.views}>
          <SegmentedControl
            aria-label="Preview mode"
            data={[...VIEWS]}
            value={view}
            onChange={(value) => setView(value)}
          />
          <ContactSelect
            label="Preview as"
            hidesLabel
            value={contact}
            onChange={(chosen) => {
              setContact(chosen)
              if (view === 'edit') setView('wide')
            }}
          />
          {isEmail && preview.data && preview.data.subject !== null && (
            <SendTestButton
              isReady={!isBehind}
              email={{
                subject: escapeLiquid(preview.data.subject),
                html: preview.data.html === null ? null : escapeLiquid(preview.data.html),
                text: preview.data.text === null ? null : escapeLiquid(preview.data.text),
              }}
            >
              Send test email
            </SendTestButton>
          )}
        </div>
        {view !== 'edit' ? (
          <section aria-label="Preview" className={classes.preview}>
            <div className={classes.paper}>
              {preview.error && <ErrorBanner error={preview.error} />}
              {preview.data && <PreviewBody preview={preview.data} look={view} />}
            </div>
          </section>
        ) : isVisual ? (
          <EmailEditor
            editor={editor}
            theme={design.value.theme}
            problems={problems}
            readOnly={!canEdit}
            settings={settings}
          />
        ) : (
          <div className={classes.codePage}>
            <div>
              <CodeEditor
                {...shared}
                as="html"
                label={fields.format}
                value={fields.html}
                onChange={(html) => set({ html })}
              />
            </div>
            <aside className={classes.settings}>{settings}</aside>
          </div>
        )}
        <ProblemBar
          problems={problems}
          bytes={preview.data?.bytes}
          onShow={(key) => {
            setView('edit')
            editor.select(key)
          }}
          onFix={
            canEdit ? ({ fix }) => fix && design.change((now) => ({ ...now, nodes: fix.apply(now.nodes) })) : undefined
          }
        />
      </div>
    </Page>
  )
}
