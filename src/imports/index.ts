export { Import, ImportError, type ImportOptions } from './entities.ts'
export {
  FileProblem,
  FORMAT_NAMES,
  type FormatName,
  isField,
  plunkToCsv,
  type Standing,
  STANDINGS,
} from './formats/index.ts'
export { createImport, getImport, listErrors, sayTold } from './imports.ts'
export { importFile, type ImportFileInput, type Progress } from './import-file.ts'
export { takePiece } from './take-piece.ts'
