import { TextInput } from '@mantine/core'
import { useMetadataKeys, useTemplates } from '../../api/queries.ts'
import { CodeEditor } from '../../components/CodeEditor.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { Colors } from '../../editor/Colors.tsx'
import { ConvertToCode } from './ConvertToCode.tsx'
import type { TemplateDraft } from './use-template-draft.ts'

/** The settings of a whole template: name, colors, layout, plain text. */
export function TemplateSettings({ draft, readOnly }: { draft: TemplateDraft; readOnly: boolean }) {
  const { template, fields, set, design } = draft
  const dataKeys = useMetadataKeys()
  const isVisual = fields.format === 'BLOCKS'
  return (
    <div className="formFields">
      <TextInput
        label="Name"
        description="Internal name. Recipients won’t see it."
        value={fields.name}
        readOnly={readOnly}
        onChange={({ currentTarget: { value } }) => set({ name: value })}
      />
      {(fields.translations ?? []).length > 0 && (
        <p className="small t2">
          Translations ({fields.translations.map(({ locale }) => locale).join(', ')}) stay unchanged. Edit them through
          the API.
        </p>
      )}
      {isVisual && (
        <Colors
          theme={design.value.theme}
          readOnly={readOnly}
          onChange={(theme) => design.change((now) => ({ ...now, theme }), 'colors')}
        />
      )}
      {template.kind === 'EMAIL' && (
        <>
          {!isVisual && <LayoutSelect layoutId={fields.layoutId} readOnly={readOnly} onChange={set} />}
          <CodeEditor
            label="Plain text"
            description="Leave empty to generate it."
            keys={dataKeys}
            readOnly={readOnly}
            value={fields.text}
            onChange={(text) => set({ text })}
          />
        </>
      )}
      {isVisual && !readOnly && <ConvertToCode draft={draft} />}
    </div>
  )
}

/** Selects the layout of an email. It must have the same format; the API rejects others. */
function LayoutSelect({
  layoutId,
  readOnly,
  onChange,
}: {
  layoutId: string | null
  readOnly: boolean
  onChange: (some: { layoutId: string | null }) => void
}) {
  const layouts = useTemplates('LAYOUT')
  if (layouts === undefined || (layouts.length === 0 && layoutId === null)) return null
  return (
    <SearchableSelect
      label="Layout"
      placeholder="None"
      data={layouts.map(({ id, name }) => ({ value: id, label: name }))}
      value={layoutId}
      clearable
      disabled={readOnly}
      onChange={(chosen) => onChange({ layoutId: chosen })}
    />
  )
}
