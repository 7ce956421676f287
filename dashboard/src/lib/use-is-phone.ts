import { useMediaQuery } from '@mantine/hooks'

/** Checks whether the window is as narrow as a phone. The styles use the same width. */
export const useIsPhone = (): boolean =>
  useMediaQuery('(max-width: 720px)', undefined, { getInitialValueInEffect: false }) ?? false
