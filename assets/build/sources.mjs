// sources.mjs checks the TypeScript below a folder: no line is longer than 140
// characters, no function than 60 lines, and no modules import each other in a
// circle. Imports of types count too; import() does not, which is how a part is
// loaded later.
// Usage: node sources.mjs TYPESCRIPT FOLDER
import { readFileSync, readdirSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { pathToFileURL } from "node:url"

const LONGEST_LINE = 140
const LONGEST_FUNCTION = 60

// Functions that are longer still, with their lines: they may only shrink. This one
// is held by the widget's budget of bytes for the first open.
const LONGER = {
  "widget/panel/panel.ts draw": 139,
}

const [compiler, root] = process.argv.slice(2)
const { default: ts } = await import(pathToFileURL(join(compiler, "lib/typescript.js")))

const problems = []
const imports = new Map() // of each file

for (const name of readdirSync(root, { recursive: true }).filter((n) => n.endsWith(".ts")).sort()) {
  const path = join(root, name)
  const file = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true)
  checkLines(file)
  checkFunctions(file, file)
  imports.set(path.replace(/(\.d)?\.ts$/, ""), importsOf(file))
}
checkCircles()

if (!imports.size) problems.push(`${root}: no TypeScript`)
if (problems.length) {
  console.error(problems.join("\n"))
  process.exit(1)
}
console.log(`sources: ok, ${imports.size} files`)

function checkLines(file) {
  file.text.split("\n").forEach((line, i) => {
    const length = [...line].length
    if (length > LONGEST_LINE) problems.push(`${file.fileName}:${i + 1}: line of ${length} characters`)
  })
}

// checkFunctions counts the lines of a function's block, from its { to its }.
function checkFunctions(node, file) {
  if (ts.isFunctionLike(node) && node.body && ts.isBlock(node.body)) {
    const lineOf = (at) => file.getLineAndCharacterOfPosition(at).line + 1
    const first = lineOf(node.body.getStart())
    const lines = lineOf(node.body.end) - first + 1
    const name = node.name?.getText() ?? node.parent.name?.getText() ?? ""
    const most = LONGER[`${relative(root, file.fileName)} ${name}`] ?? LONGEST_FUNCTION
    if (lines > most) problems.push(`${file.fileName}:${first}: function ${name} of ${lines} lines`)
  }
  ts.forEachChild(node, (child) => checkFunctions(child, file))
}

// importsOf are the files that one imports or exports from.
function importsOf(file) {
  return file.statements
    .map((s) => (ts.isImportDeclaration(s) || ts.isExportDeclaration(s) ? (s.moduleSpecifier?.text ?? "") : ""))
    .filter((name) => name.startsWith("."))
    .map((name) => join(dirname(file.fileName), name))
}

// checkCircles reports each circle that a walk along the imports closes.
function checkCircles() {
  const done = new Set()
  const walk = (path, above) => {
    const from = above.indexOf(path)
    if (from >= 0) {
      const circle = [...above.slice(from), path].map((p) => relative(root, p))
      problems.push(`${path}: imports itself: ${circle.join(" > ")}`)
    }
    if (from >= 0 || done.has(path)) return
    for (const next of imports.get(path) ?? []) walk(next, [...above, path])
    done.add(path)
  }
  for (const path of imports.keys()) walk(path, [])
}
