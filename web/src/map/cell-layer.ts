import type { CustomLayerInterface, CustomRenderMethodInput, Map as MapLibreMap } from 'maplibre-gl';
import type { Cells } from './cells.js';
import { pixelsOf, placeInScale, type Scale } from './colours.js';

/** Cells with a value each, ready to be drawn. */
export interface PaintedCells {
  readonly cells: Cells;
  /** By cell; NaN where it has none. */
  readonly values: Float32Array;
  /** Whether the cell is drawn paler: outside the species' native range. */
  readonly isPale: readonly boolean[];
  readonly scale: Scale;
}

const VERTEX = `#version 300 es
in vec2 corner;
in vec4 bounds;
in vec2 paint;
uniform mat4 matrix;
out vec2 painted;
void main() {
  painted = paint;
  gl_Position = matrix * vec4(mix(bounds.xy, bounds.zw, corner), 0.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
in vec2 painted;
uniform sampler2D colours;
uniform float opacity;
out vec4 colour;
void main() {
  colour = vec4(texture(colours, vec2(painted.x, 0.5)).rgb, 1.0) * painted.y * opacity;
}`;

/** Floats of each cell: four edges, the position of its value in the scale, and its opacity. */
const FLOATS = 6;
/** Share of the chosen opacity that pale cells have. */
const PALE = 0.35;

/** Draws cells as rectangles in the colours of their values: 20,000 of them are one draw call. */
export class CellLayer implements CustomLayerInterface {
  readonly id = 'cells';
  readonly type = 'custom';
  #map: MapLibreMap | undefined;
  #program: WebGLProgram | undefined;
  #array: WebGLVertexArrayObject | null = null;
  #buffer: WebGLBuffer | null = null;
  #texture: WebGLTexture | null = null;
  #matrix: WebGLUniformLocation | null = null;
  #opacityAt: WebGLUniformLocation | null = null;
  #opacity = 1;
  #painted: PaintedCells | null = null;
  #isOutdated = false;

  /** Shows other cells, or none. */
  paint(painted: PaintedCells | null): void {
    this.#painted = painted;
    this.#isOutdated = true;
    this.#map?.triggerRepaint();
  }

  /** @param opacity of all cells, 0 to 1 */
  setOpacity(opacity: number): void {
    this.#opacity = opacity;
    this.#map?.triggerRepaint();
  }

  onAdd(map: MapLibreMap, gl: WebGL2RenderingContext): void {
    this.#map = map;
    const program = link(gl);
    this.#program = program;
    this.#matrix = gl.getUniformLocation(program, 'matrix');
    this.#opacityAt = gl.getUniformLocation(program, 'opacity');
    this.#texture = gl.createTexture();
    this.#array = gl.createVertexArray();
    gl.bindVertexArray(this.#array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]), gl.STATIC_DRAW);
    attribute(gl, program, 'corner', 2, 2, 0, 0);
    this.#buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffer);
    attribute(gl, program, 'bounds', 4, FLOATS, 0, 1);
    attribute(gl, program, 'paint', 2, FLOATS, 4, 1);
    gl.bindVertexArray(null);
    this.#isOutdated = true;
  }

  render(gl: WebGL2RenderingContext, { defaultProjectionData }: CustomRenderMethodInput): void {
    const painted = this.#painted;
    if (painted === null || this.#program === undefined) return;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.#texture);
    if (this.#isOutdated) this.#upload(gl, painted);
    gl.useProgram(this.#program);
    gl.uniformMatrix4fv(this.#matrix, false, defaultProjectionData.mainMatrix);
    gl.uniform1f(this.#opacityAt, this.#opacity);
    gl.bindVertexArray(this.#array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, painted.cells.count);
    gl.bindVertexArray(null);
  }

  #upload(gl: WebGL2RenderingContext, { cells, values, isPale, scale }: PaintedCells): void {
    const floats = new Float32Array(cells.count * FLOATS);
    for (let index = 0; index < cells.count; index++) {
      const [west, south, east, north] = cells.edgesOf(index);
      const value = values[index];
      const opacity = Number.isNaN(value) ? 0 : isPale[index] ? PALE : 1;
      floats.set(
        [
          mercatorX(west),
          mercatorY(north),
          mercatorX(east),
          mercatorY(south),
          Number.isNaN(value) ? 0 : placeInScale(scale, value),
          opacity,
        ],
        index * FLOATS,
      );
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffer);
    gl.bufferData(gl.ARRAY_BUFFER, floats, gl.DYNAMIC_DRAW);
    const pixels = pixelsOf(scale);
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, pixels.length / 4, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    for (const [name, value] of [
      [gl.TEXTURE_MIN_FILTER, gl.NEAREST],
      [gl.TEXTURE_MAG_FILTER, gl.NEAREST],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
    ] as const)
      gl.texParameteri(gl.TEXTURE_2D, name, value);
    this.#isOutdated = false;
  }
}

/** Web Mercator in the unit square, as MapLibre has it. */
const mercatorX = (longitude: number) => (180 + longitude) / 360;
const mercatorY = (latitude: number) =>
  (180 - (180 / Math.PI) * Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360))) / 360;

function attribute(
  gl: WebGL2RenderingContext,
  program: WebGLProgram,
  name: string,
  size: number,
  stride: number,
  offset: number,
  divisor: number,
): void {
  const location = gl.getAttribLocation(program, name);
  gl.enableVertexAttribArray(location);
  gl.vertexAttribPointer(location, size, gl.FLOAT, false, stride * 4, offset * 4);
  gl.vertexAttribDivisor(location, divisor);
}

function link(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type);
    if (shader === null) throw new Error('the browser lost its graphics context');
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS))
    throw new Error(`shader: ${gl.getProgramInfoLog(program)}`);
  return program;
}
