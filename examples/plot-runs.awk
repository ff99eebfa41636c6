# Curves of runs as a picture: awk -v x=bits_per_node -v y=value -f plot-runs.awk A/run.jsonl B/run.jsonl >runs.svg
# x and y are keys of run.jsonl; y is drawn on a logarithmic scale unless linear=1, x unless linear_x=1 where all its
# values are positive. title is optional. Lines without a number under both keys are left out. Any awk will do.

function number(line, key,    at, text) {
    at = index(line, "\"" key "\":")
    if (at == 0)
        return "none"
    text = substr(line, at + length(key) + 3)
    return match(text, /^ *-?[0-9][-+.eE0-9]*/) ? substr(text, 1, RLENGTH) + 0 : "none"
}
function log10(v) { return log(v) / log(10) }
function place(v, logarithmic) { return logarithmic ? log10(v) : v }
function along(v) { return left + width * (v - low_x) / (high_x - low_x) }
function up(v) { return top + height * (1 - (v - low_y) / (high_y - low_y)) }
function label(v, logarithmic) { return sprintf("%.3g", logarithmic ? 10 ^ v : v) }
function escaped(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); return text }

BEGIN {
    x = x == "" ? "round" : x
    y = y == "" ? "gap" : y
    left = 80; top = 40; width = 520; height = 320
    split("#1f77b4 #d62728 #2ca02c #9467bd #ff7f0e #17becf #8c564b #7f7f7f", colours, " ")
}
{
    u = number($0, x); v = number($0, y)
    if (u == "none" || v == "none" || (v <= 0 && !linear) || (u <= 0 && !linear_x))
        next
    if (!(FILENAME in curve)) {
        curve[FILENAME] = ++curves
        name[curves] = FILENAME
    }
    c = curve[FILENAME]; n = ++points[c]
    px[c, n] = u = place(u, !linear_x); py[c, n] = v = place(v, !linear)
    if (!any++) { low_x = high_x = u; low_y = high_y = v }
    if (u < low_x) low_x = u
    if (u > high_x) high_x = u
    if (v < low_y) low_y = v
    if (v > high_y) high_y = v
}
END {
    if (!any) {
        print "plot-runs: no line has numbers under " x " and " y >"/dev/stderr"
        exit 1
    }
    if (high_x == low_x) high_x = low_x + 1
    if (high_y == low_y) high_y = low_y + 1
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"%d\" font-family=\"sans-serif\"", \
        top + height + 60 + 18 * curves
    print " font-size=\"12\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    printf "<text x=\"%d\" y=\"22\" font-size=\"15\">%s</text>\n", left, escaped(title)
    for (i = 0; i <= 4; i++) {
        u = low_x + i * (high_x - low_x) / 4; v = low_y + i * (high_y - low_y) / 4
        printf "<path d=\"M%.1f %d V%d M%d %.1f H%d\" stroke=\"#ddd\"/>", along(u), top, top + height, left, up(v), \
            left + width
        printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>", along(u), top + height + 18, \
            label(u, !linear_x)
        printf "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", left - 6, up(v) + 4, label(v, !linear)
    }
    printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>", left + width / 2, top + height + 36, x
    printf "<text x=\"20\" y=\"%d\" transform=\"rotate(-90 20 %d)\" text-anchor=\"middle\">%s</text>\n", \
        top + height / 2, top + height / 2, y
    for (c = 1; c <= curves; c++) {
        colour = colours[(c - 1) % 8 + 1]
        printf "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"", colour
        for (n = 1; n <= points[c]; n++)
            printf "%.1f,%.1f ", along(px[c, n]), up(py[c, n])
        printf "\"/>\n<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", left, top + height + 42 + 18 * c, colour, \
            escaped(name[c])
    }
    print "</svg>"
}
