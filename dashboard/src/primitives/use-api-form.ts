import { useForm, type UseFormReturnType } from '@mantine/form'
import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { fieldErrorsOf } from '../lib/field-errors.ts'
import { stableJson } from '../lib/stable-json.ts'

// Fields of any type, by name.
type AnyValues = Record<string, unknown>

export interface ApiForm<Values, Result = unknown> extends UseFormReturnType<Values> {
  request: UseMutationResult<Result, Error, Values>
  /** Sends the form if its fields are valid, and focuses the first wrong one otherwise. */
  submit: (event: React.FormEvent<HTMLFormElement>) => void
  /** The fields that the user changed, with their values. */
  changes: Partial<Values>
  hasChanges: boolean
  /** Whether the user may only read the fields. */
  isReadOnly: boolean
  /** An error of the request that no field shows. */
  otherError: Error | null
}

const isSame = (a: unknown, b: unknown): boolean => stableJson(a) === stableJson(b)

/** Returns the fields of `values` that differ from `before`. */
const changesOf = <Values extends object>(values: Values, before: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !isSame(value, before[name as keyof Values])),
  ) as Partial<Values>

/** Returns an error of the API by its field: `/scopes/0` belongs to the field `scopes` unless there is one for its first item. */
function errorsByField(error: unknown, values: object): Record<string, string> {
  const placed = Object.entries(fieldErrorsOf(error)).map(([path, message]) => {
    const [first = ''] = path.split('.')
    return [Object.hasOwn(values, path) ? path : first, message] as const
  })
  return Object.fromEntries(placed.filter(([name]) => Object.hasOwn(values, name)))
}

/**
 * A form whose fields are named as in the API, so that the error of a request is shown at its field.
 *
 * @param initialValues what the server has. A field that the user did not change follows it
 * @param validate returns a message for each wrong field
 * @param isReadOnly whether the user may only read the fields, which then look like text
 * @param isEdit whether a form without changes is done without a request
 * @param send sends the values. Completes even if the form is closed in the meantime
 * @param onSent called if the form is still open, so that it never closes another one
 */
export function useApiForm<Values extends object, Result = unknown>({
  initialValues,
  validate,
  isReadOnly = false,
  isEdit = false,
  send,
  onSent,
}: {
  initialValues: Values
  validate?: (values: Values) => { [Name in keyof Values]?: string | false | undefined }
  isReadOnly?: boolean
  isEdit?: boolean
  send: (values: Values, changes: Partial<Values>) => Promise<Result>
  onSent?: (result: Result | undefined) => void
}): ApiForm<Values, Result> {
  // What the fields show if the user has not changed them.
  const known = useRef(initialValues)
  const isFollowing = useRef(false)
  const request = useMutation<Result, Error, Values>({
    mutationFn: (values) => send(values, changesOf(values, initialValues)),
    onSuccess: (_result, values) => {
      known.current = values
    },
  })
  const form = useForm<Values>({
    // Finds the fields of this form only: another one on the page may have fields of the same name.
    name: useId().replaceAll('_', '-'),
    initialValues,
    ...(validate && { validate }),
    // Submitting checks these again, so they do not keep the form from being sent.
    enhanceGetInputProps: ({ inputProps, options }) => ({
      'data-rechecked': inputProps.error !== undefined || undefined,
      // A checkbox cannot be read-only in HTML.
      ...(isReadOnly && (options?.['type'] === 'checkbox' ? { disabled: true } : { readOnly: true })),
    }),
    onValuesChange() {
      if (isFollowing.current || request.isIdle || request.isPending) return
      request.reset()
      // The error may be fixed by another field than the one that shows it.
      form.clearErrors()
    },
  })
  const follow = useRef<() => void>(undefined)
  useEffect(() => {
    follow.current = () => {
      const unchanged = Object.keys(changesOf(initialValues, known.current)).filter((name) =>
        isSame((form.getValues() as AnyValues)[name], (known.current as AnyValues)[name]),
      )
      known.current = initialValues
      if (unchanged.length === 0) return
      isFollowing.current = true
      const { errors } = form
      form.setValues(Object.fromEntries(unchanged.map((name) => [name, (initialValues as AnyValues)[name]])) as never)
      // Errors belong to what the user typed.
      form.setErrors(errors)
      isFollowing.current = false
    }
  })
  const key = stableJson(initialValues)
  useEffect(() => follow.current?.(), [key])
  // The race: an error arrives before the fields, which are disabled during a request, are enabled again. The guard: the focus moves
  // when the request is no longer pending, not in the next frame. Test: test/dashboard/primitives-forms.test.ts.
  const [wrong, setWrong] = useState<string>()
  const [isAtField, setIsAtField] = useState(false)
  useEffect(() => {
    if (wrong === undefined || request.isPending) return
    form.getInputNode(wrong as never)?.focus()
    setWrong(undefined)
  }, [wrong, request.isPending])
  const sendNow = (values: Values) => {
    if (isEdit && Object.keys(changesOf(values, initialValues)).length === 0) return onSent?.(undefined)
    request.mutate(values, {
      onSuccess: (result) => onSent?.(result),
      onError(error) {
        const errors = errorsByField(error, values)
        form.setErrors(errors)
        setWrong(Object.keys(errors)[0])
        // A value without an input of its own, such as a condition, cannot show it.
        setIsAtField(Object.keys(errors).some((name) => form.getInputNode(name as never) !== null))
      },
    })
  }
  const changes = changesOf(form.values, initialValues)
  return {
    ...form,
    /** Also after a success, which stays. */
    reset() {
      isFollowing.current = true
      form.reset()
      isFollowing.current = false
    },
    request,
    isReadOnly,
    submit: form.onSubmit(sendNow, (errors) => setWrong(Object.keys(errors)[0])),
    changes,
    hasChanges: Object.keys(changes).length > 0,
    otherError: isAtField ? null : request.error,
  }
}
