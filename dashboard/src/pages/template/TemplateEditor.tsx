import { ActionIcon, Button, Menu } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { IconDots, IconHistory } from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'
import { useMetadataKeys } from '../../api/queries.ts'
import { useHasRole } from '../../api/workspace.tsx'
import { CodeEditor } from '../../components/CodeEditor.tsx'
import { ConflictDialog } from '../../components/ConflictDialog.tsx'
import { CurlMenuItem } from '../../components/CurlButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Notice } from '../../components/Notice.tsx'
import { Time } from '../../components/Time.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { EditorWorkspace } from '../../editor/EditorWorkspace.tsx'
import { UndoButtons } from '../../editor/UndoButtons.tsx'
import classes from '../../editor/editor.module.css'
import { ToList } from '../../layout/ToList.tsx'
import { Page } from '../../layout/Page.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { TemplateSettings } from './TemplateSettings.tsx'
import { type LoadedTemplate, useTemplateDraft } from './use-template-draft.ts'
import { VersionsPanel } from './VersionsPanel.tsx'

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
  const draft = useTemplateDraft(from, canEdit)
  const { template, fields, set, design, content, request, theirs } = draft
  const dataKeys = useMetadataKeys()
  const [showsVersions, { open, close }] = useDisclosure()
  const page = useRef<HTMLDivElement>(null)
  const isVisual = fields.format === 'BLOCKS'
  const isEmail = template.kind === 'EMAIL'
  const save = () => {
    if (page.current && !focusInvalidField(page.current)) draft.save()
  }
  // Also while a field or a text has the focus.
  useHotkeys([['mod+S', () => canEdit && save()]], [], true)
  const shared = { keys: dataKeys, readOnly: !canEdit }
  return (
    <Page
      parent={<ToList list="templates">Templates</ToList>}
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
          {canEdit && <UndoButtons history={design} />}
          <ActionIcon aria-label="Versions" title="Versions" onClick={open}>
            <IconHistory aria-hidden />
          </ActionIcon>
          {canEdit && (
            <Menu>
              <Menu.Target>
                <ActionIcon aria-label="More actions">
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
      <UnsavedChangesGuard isDirty={draft.isDirty} isSending={request.isPending} onDiscard={draft.discardKept} />
      {showsVersions && <VersionsPanel draft={draft} canEdit={canEdit} onClose={close} />}
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
          {draft.kept && (
            <Notice title="Unsaved changes">
              <p>
                Made in this browser <Time at={draft.kept.at} />.
              </p>
              <div className="row">
                <Button onClick={draft.kept.restore}>Restore changes</Button>
                <Button variant="subtle" color="gray" onClick={draft.discardKept}>
                  Discard
                </Button>
              </div>
            </Notice>
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
        <EditorWorkspace
          // A template does not know in which emails it is used.
          category="transactional"
          design={design}
          content={content}
          isPart={!isEmail}
          readOnly={!canEdit}
          settings={<TemplateSettings draft={draft} readOnly={!canEdit} />}
          {...(!isVisual && {
            code: (
              <CodeEditor
                {...shared}
                as="html"
                label={fields.format}
                value={fields.html}
                onChange={(html) => set({ html })}
              />
            ),
          })}
        />
      </div>
    </Page>
  )
}
