import { useEffect, useRef, useState } from 'preact/hooks';
import { ErrorNote } from '../page/notes.js';
import { panel } from '../state/choices.js';
import { FileError } from './file-error.js';
import { type FileContent, readFile } from './read-file.js';

type Files = FileList | null | undefined;

/** Reads the one file that was chosen or dropped. @throws FileError */
export async function readOne(files: Files): Promise<FileContent | null> {
  const [file, ...others] = files ?? [];
  if (others.length > 0)
    throw new FileError(
      `${others.length + 1} files were dropped: drop one at a time, and the parts of a shapefile in one .zip.`,
    );
  return file === undefined ? null : readFile(file);
}

/** Whether files are dragged, not text. */
const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;

/** Takes a file by choice, or by drop anywhere on the page, where the browser would open it in place of the page. */
export function FileDrop({ error, onFiles }: { error: Error | null; onFiles: (files: Files) => void }) {
  const [isOver, setOver] = useState(false);
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error !== null) area.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  useEffect(() => {
    const stop = new AbortController();
    const listen = (type: 'dragover' | 'dragleave' | 'drop', listener: (event: DragEvent) => void) =>
      window.addEventListener(type, listener, { signal: stop.signal });
    listen('dragover', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    });
    listen('dragleave', ({ relatedTarget }) => {
      if (relatedTarget === null) setOver(false); // they left the window
    });
    listen('drop', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      panel.value = 'units'; // where the field is
      onFiles(event.dataTransfer?.files);
    });
    return () => stop.abort();
  });
  return (
    <div ref={area}>
      <div class={`drop ${isOver ? 'is-over' : ''}`}>
        <label for="file">GeoJSON, CSV, zipped shapefile or project: drop it on the page, or</label>
        <input
          id="file"
          type="file"
          accept=".geojson,.json,.csv,.zip"
          onChange={({ currentTarget }) => {
            onFiles(currentTarget.files);
            currentTarget.value = '';
          }}
        />
      </div>
      {error !== null && <ErrorNote error={error} />}
    </div>
  );
}
