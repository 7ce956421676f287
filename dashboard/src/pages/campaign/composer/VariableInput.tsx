import { ActionIcon, Button, Popover, TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { IconBraces } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useMetadataKeys } from '../../../api/queries.ts'
import { usePreview } from '../../../components/EmailPreview.tsx'
import { SearchableSelect } from '../../../components/SearchableSelect.tsx'
import type { Category } from '../../../components/SendTestButton.tsx'
import { FallbackField } from '../../../editor/FallbackField.tsx'
import { contactVariableOptions, writeVariable } from '../../../editor/variables.ts'

const PAUSE_MS = 500

interface VariableInputProps extends Omit<TextInputProps, 'label' | 'value' | 'onChange'> {
  label: string
  value?: string
  category: Category
  onChange: (text: string) => void
}

/** A line of text with variables. A menu inserts them at the caret, and the line below shows the text for a sample contact. */
export function VariableInput({ label, value = '', category, onChange, ...props }: VariableInputProps) {
  const input = useRef<HTMLInputElement>(null)
  /** The selected characters, also while the menu has the focus. */
  const selection = useRef<[start: number, end: number]>(undefined)
  const insert = (source: string) => {
    const [start, end] = selection.current ?? [value.length, value.length]
    onChange(value.slice(0, start) + source + value.slice(end))
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(start + source.length, start + source.length)
    })
  }
  return (
    <div>
      <TextInput
        {...props}
        ref={input}
        label={label}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        onSelect={({ currentTarget: { selectionStart, selectionEnd } }) => {
          selection.current = [selectionStart ?? value.length, selectionEnd ?? value.length]
        }}
        rightSection={<VariableMenu of={label} onInsert={insert} />}
      />
      {value.includes('{{') && <Rendered text={value} category={category} />}
    </div>
  )
}

/** Asks for a variable of the contact and its fallback. */
function VariableMenu({ of, onInsert }: { of: string; onInsert: (source: string) => void }) {
  const keys = useMetadataKeys()
  const [isOpen, { set, toggle, close }] = useDisclosure()
  const [path, setPath] = useState('contact.firstName')
  const [fallback, setFallback] = useState('')
  const options = contactVariableOptions(keys).map((each) => ({ value: each.path, label: each.label }))
  const insert = () => {
    close()
    setFallback('')
    onInsert(writeVariable({ path, fallback }))
  }
  return (
    <Popover opened={isOpen} onChange={set} trapFocus position="bottom-end" withinPortal>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          title="Insert variable"
          aria-label={`Insert variable: ${of}`}
          onClick={toggle}
        >
          <IconBraces aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className="formFields" w={280}>
        <SearchableSelect
          label="Variable"
          data={options}
          value={path}
          onChange={(chosen) => chosen !== null && setPath(chosen)}
          comboboxProps={{ withinPortal: false }}
        />
        <FallbackField value={fallback} onChange={setFallback} onEnter={insert} />
        <Button variant="filled" onClick={insert}>
          Insert
        </Button>
      </Popover.Dropdown>
    </Popover>
  )
}

/** The text as a sample contact gets it. Problems of the template are shown once it is saved. */
function Rendered({ text, category }: { text: string; category: Category }) {
  const [asked] = useDebouncedValue(text, PAUSE_MS)
  const { data } = usePreview(['line', asked], { contactId: null, category }, async (api, forWhom, signal) => {
    const body = { subject: asked, text: '-', ...forWhom }
    return (await api.POST('/templates/preview', { body, signal })).data.data
  })
  if (data?.subject == null) return null
  return (
    <p className="small t2" style={{ marginTop: 4, overflowWrap: 'anywhere' }}>
      {data.to} gets: {data.subject}
    </p>
  )
}
